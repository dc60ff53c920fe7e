package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPalettes: a palette has as many labels as colours, and no empty label: the page's legend
// has an entry for each label, in the colour with the same index.
func TestPalettes(t *testing.T) {
	t.Parallel()
	for name, p := range palettes() {
		require.Len(t, p.Labels, len(p.Colors), name)
		require.NotContains(t, p.Labels, "", name)
	}
}
