package session

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

var update = flag.Bool("update", false, "write testdata/page.txt")

// TestThePagesParts compares the output of the page's own code for small inputs with testdata/page.txt. The tests in
// oracle/web run that code in a browser.
func TestThePagesParts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node, which packs the page, too: make test-web installs it and runs this test")
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/page.mjs")
	cmd.Stderr = os.Stderr
	said := must.Get(cmd.Output())
	const path = "testdata/page.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, said, 0o644))
	}
	require.Equal(t, string(must.Get(os.ReadFile(path))), string(said), "go test ./web/session -run TestThePagesParts -update")
}
