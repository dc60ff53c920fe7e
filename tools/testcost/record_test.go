package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The clock of processor time advances by a second per reading.
func TestTimeGoesToTheTestsThatRun(t *testing.T) {
	now := time.Duration(0)
	used := func() time.Duration { now += time.Second; return now }
	output := strings.Join([]string{
		"=== RUN   TestA", "=== PAUSE TestA", "=== RUN   TestB", "=== RUN   TestB/part", "    --- PASS: TestB/part (0.00s)",
		"--- PASS: TestB (0.00s)", "=== CONT  TestA", "=== CONT  TestC", "=== NAME  TestC", "--- FAIL: TestA (0.00s)", "--- SKIP: TestC (0.00s)", "PASS",
	}, "\n") + "\n"
	tests := map[string]time.Duration{}
	var copied bytes.Buffer
	follow(strings.NewReader(output), &copied, used, tests)
	require.Equal(t, output, copied.String())
	require.Equal(t, map[string]time.Duration{
		"TestA": time.Second + time.Second + time.Second/2, // alone until it pauses, alone again, then with C
		"TestB": time.Second,
		"TestC": time.Second/2 + time.Second,
	}, tests)
}

func TestTheDearestComeFirst(t *testing.T) {
	all := []record{
		{"a", 5 * time.Second, map[string]time.Duration{"TestX": time.Second, "TestY": 4 * time.Second}},
		{"b", time.Second / 2, map[string]time.Duration{"TestZ": 2 * time.Second}},
	}
	var out bytes.Buffer
	writeTables(&out, all, 10*time.Second, 2)
	require.Equal(t, "\nprocessor time, s   package\n"+
		"              5.0   a\n              0.5   packages below 1 s\n              4.5   compiling and linking\n             10.0   in all\n"+
		"\nprocessor time, s   test\n              4.0   a TestY\n              2.0   b TestZ\n", out.String())
}

// Time of children counts while they run and after they have ended.
func TestTimeOfChildrenIsCounted(t *testing.T) {
	before := treeTime(os.Getpid())
	burn := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
	require.NoError(t, burn.Run())
	spent := burn.ProcessState.UserTime() + burn.ProcessState.SystemTime()
	require.GreaterOrEqual(t, treeTime(os.Getpid())-before, spent/2) // reported in hundredths of a second
	require.Equal(t, "tools/testcost", packageName())
}
