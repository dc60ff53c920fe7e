package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPalettes: the page draws a key for each label, in the colour of the same place.
func TestPalettes(t *testing.T) {
	t.Parallel()
	for name, p := range palettes() {
		require.Len(t, p.Labels, len(p.Colors), name)
		require.NotContains(t, p.Labels, "", name)
	}
}
