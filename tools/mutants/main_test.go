package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestMutantsApply: every fault can still be applied to its file, and its test exists. `make
// mutants` checks that the tests find them.
func TestMutantsApply(t *testing.T) {
	root := filepath.Join("..", "..")
	list := mutants()
	require.GreaterOrEqual(t, len(list), 73)
	for _, m := range list {
		text := must.Get(os.ReadFile(filepath.Join(root, m.file)))
		faulty, err := m.apply(text)
		require.NoError(t, err, m.what)
		require.NotEqual(t, string(text), string(faulty), m.what)
		files := must.Get(filepath.Glob(filepath.Join(root, m.room, "*_test.go")))
		found := false
		for _, file := range files {
			text := must.Get(os.ReadFile(file))
			found = found || bytes.Contains(text, []byte("func "+m.test+"("))
		}
		require.True(t, found, "%s: no %s in %s", m.what, m.test, m.room)
	}
	_, err := (&mutant{file: "f", old: "a", new: "b"}).apply([]byte("aa"))
	require.EqualError(t, err, `f: "a" is there 2 times, not once`)
}
