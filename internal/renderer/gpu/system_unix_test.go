//go:build cgo && !windows

package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFoldersOfDrivers: the folders are those of Vulkan's loader, in its order.
func TestFoldersOfDrivers(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", "/h")
	folders := func() string { return strings.ReplaceAll(strings.Join(systemDrivers(), " "), "/vulkan/icd.d", "") }
	require.Equal(t, "/h/.config /etc/xdg /usr/local/etc /etc /h/.local/share /usr/local/share /usr/share", folders())
	t.Setenv("XDG_CONFIG_DIRS", "/a:/b")
	t.Setenv("XDG_DATA_HOME", "/c")
	require.Equal(t, "/h/.config /a /b /usr/local/etc /etc /c /usr/local/share /usr/share", folders())
}
