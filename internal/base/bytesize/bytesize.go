// Package bytesize reads and prints counts of bytes: 64MiB on a command line, "3.2 GiB"
// in a message. It also knows how many bytes of memory the system has available.
package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

const maxBytes = 1024 // the largest size that Parse accepts, in GiB

// Parse reads a byte count: 1000, 64MiB, 1GiB.
func Parse(text string) (int64, error) {
	units := []struct {
		suffix string
		scale  int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 || n > maxBytes<<30/u.scale {
				break
			}
			return n * u.scale, nil
		}
	}
	return 0, fmt.Errorf("%q: want bytes, or a whole number with KiB, MiB or GiB, from 1 to %dGiB", text, maxBytes)
}

// Text prints a byte count for people: "3.2 GiB".
func Text(n int64) string { return text(n, 4) }

// Texts prints two byte counts that are compared. It uses more digits than Text if the two would
// look equal although they differ.
func Texts(a, b int64) (string, string) {
	const most = 19 // enough to distinguish any two
	for digits := 4; ; digits++ {
		if one, other := text(a, digits), text(b, digits); one != other || a == b || digits == most {
			return one, other
		}
	}
}

func text(n int64, digits int) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.*g %s", digits, f, units[i])
}
