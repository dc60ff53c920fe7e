package renderer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckHost(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckHost(1<<20, "little things"))
	require.NoError(t, checkHost(1<<50, 0, "things on a system that says nothing"))
	require.NoError(t, checkHost(1<<30, 1<<30, "things"))
	err := checkHost(3<<30, 1<<30, "things")
	require.EqualError(t, err, "things need 3 GiB of memory, the system has 1 GiB free")
	require.True(t, DoesNotFit(err))
}
