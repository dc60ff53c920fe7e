package renderer

import (
	"fmt"
	"strconv"
	"strings"
)

// maxBytes bounds what ParseBytes reads, in GiB.
const maxBytes = 1024

// ParseBytes reads a byte count: 1000, 64MiB, 1GiB.
func ParseBytes(text string) (int64, error) {
	units := []struct {
		suffix string
		scale  int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > maxBytes<<30/u.scale {
			break
		}
		return n * u.scale, nil
	}
	return 0, fmt.Errorf("%q: want bytes, or a whole number with KiB, MiB or GiB, from 1 to %dGiB", text, maxBytes)
}
