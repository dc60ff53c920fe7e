package replace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWriteToAFullDevice calls writeTo itself: a mistake in Output could replace the
// device.
func TestWriteToAFullDevice(t *testing.T) {
	t.Parallel()
	require.EqualError(t, Failed("/dev/full", writeTo("/dev/full", []byte("x"))), "/dev/full: cannot write: no space left on device")
}
