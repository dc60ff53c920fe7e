package interpret

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// survives runs an arbitrary module: it must be refused, or run to its end.
func survives(t testing.TB, words []uint32) (refused bool) {
	v, err := module.ReadVertex(words, "", nil)
	if err != nil {
		return true
	}
	p, err := New(v)
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return true
	}
	d := &Draw{Blocks: make([][]byte, len(v.Blocks))}
	for i := range d.Blocks {
		d.Blocks[i] = slices.Repeat([]byte{0, 0, 0x80, 0x3f, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, 40)
	}
	_ = p.Run(t.Context(), d, make([][4]float32, 2))
	return false
}

func samples(t testing.TB) (all [][]byte) {
	files := must.Get(filepath.Glob(fixtures + "*.spv"))
	for _, file := range append(files, "testdata/operations.spv") {
		all = append(all, must.Get(os.ReadFile(file)))
	}
	return all
}

// TestDamagedModules changes single words of modules.
func TestDamagedModules(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	refused, ran := 0, 0
	for _, data := range samples(t) {
		whole := must.Get(module.Words(data))
		for range 60 {
			words := slices.Clone(whole)
			at := module.HeaderWords + random.IntN(len(words)-module.HeaderWords)
			switch random.IntN(4) {
			case 0:
				words[at] ^= 1 << random.IntN(32)
			case 1:
				words[at] = random.Uint32N(words[3])
			case 2:
				words[at] = words[module.HeaderWords+random.IntN(len(words)-module.HeaderWords)]
			case 3:
				words = words[:at]
			}
			if survives(t, words) {
				refused++
			} else {
				ran++
			}
		}
	}
	require.Greater(t, refused, 500)
	require.Greater(t, ran, 100)
}

// FuzzModules searches for modules that make the interpreter panic or never end.
func FuzzModules(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		words, _ := module.Words(data)
		survives(t, words)
	})
}
