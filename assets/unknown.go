package assets

import (
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
)

// unknown returns the error for a name that no asset has. The suggested name keeps
// the number of the unknown one, if it takes a number.
func unknown(name string) error {
	rest := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	var have, taking []string // all names, and those that take the number
	for _, a := range All {
		have = append(have, a.Name, a.Alias)
		if a.Hi != 0 && rest != "" && strings.Trim(rest, "0123456789") == "" {
			taking = append(taking, a.Name, a.Alias)
		}
	}
	letters := name[:len(name)-len(rest)]
	nearest := names.Nearest(letters, have)
	if near := names.Nearest(letters, taking); near != "" && near == nearest {
		nearest += rest
	}
	return names.NotAmong("asset", name, nearest, forms())
}
