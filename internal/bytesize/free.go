package bytesize

import (
	"fmt"
	"os"
	"strings"
)

// FreeMemory is how many bytes of memory the system has free; 0 where it does not say, as
// anywhere but on Linux.
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
