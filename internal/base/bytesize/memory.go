//go:build !windows

package bytesize

import (
	"fmt"
	"os"
	"strings"
)

// FreeMemory returns how many bytes of memory the system has available; 0 if it does not say, as
// on systems other than Linux and Windows.
func FreeMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
