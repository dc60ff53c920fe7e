package buildinfo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	require.Equal(t, Program{"v1.2.3", commit}, program("v1.2.3", commit, false))
	require.Equal(t, Program{"(devel)", commit + "+changes"}, program("", commit, true))
	require.Equal(t, Program{"v1.2.3", "unknown"}, program("v1.2.3", "", false))
	require.Equal(t, "0123456789ab", program("v1.2.3", commit, true).String())
	require.Equal(t, "v1.2.3", program("v1.2.3", "", false).String())
	require.NotEmpty(t, By().Version)
	require.NotEmpty(t, By().Commit)
}
