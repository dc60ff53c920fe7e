package must

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCatchReturnsTheFirstFailure(t *testing.T) {
	first := errors.New("first")
	read := func(err error) (v int, failed error) {
		defer Catch(&failed)
		v = Get(7, nil)
		OK(err)
		OK(errors.New("second"))
		return v, nil
	}
	_, err := read(first)
	require.Equal(t, first, err)
	_, err = read(nil)
	require.EqualError(t, err, "second")
}

func TestPlacesPrecedeTheCause(t *testing.T) {
	cause := errors.New("cause")
	read := func(err error) (failed error) {
		defer Catch(&failed)
		defer Place("file %d", 1)
		defer Place("line")
		OK(err)
		return nil
	}
	require.NoError(t, read(nil))
	require.EqualError(t, read(cause), "file 1: line: cause")
	require.ErrorIs(t, read(cause), cause)
}

func TestOtherPanicsGoOn(t *testing.T) {
	require.PanicsWithValue(t, "other", func() {
		var err error
		defer Catch(&err)
		defer Place("line")
		panic("other")
	})
}
