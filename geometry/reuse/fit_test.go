package reuse

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// resolved resolves a strategy and leaves the choice of batch to Fitted.
func resolved(t *testing.T, name string, p Params) Config {
	p.FitBatch = true
	return must.Get(p.Resolve(name))
}

// TestFittedOnAnH200: Fitted chooses the batches measured to be fastest there.
func TestFittedOnAnH200(t *testing.T) {
	t.Parallel()
	const multiprocessors = 132
	for _, c := range []struct {
		scene     string
		triangles int
		claim     int
	}{
		{"camelhead.off", 22704, 48}, {"armadillo.off", 51904, 96}, {"stanford-bunny.obj", 69451, 96}, {"photon_buddha.obj", 100000, 96},
		{"dragon_vrip.ply", 871414, 288}, {"stk_gl_abyss.draws", 1100000, 384}, {"asset:terrain1897", 7197218, 384},
	} {
		require.Equal(t, c.claim, resolved(t, "claim", Params{}).Fitted(c.triangles, multiprocessors).Batch, c.scene)
	}
	bunny := func(name string, p Params) int { return resolved(t, name, p).Fitted(69451, multiprocessors).Batch }
	for _, name := range []string{"hash", "phash", "multi"} {
		require.Equal(t, 384, bunny(name, Params{}), name)
	}
	require.Equal(t, 192, resolved(t, "hash", Params{}).Fitted(22704, multiprocessors).Batch)
	require.Equal(t, 192, bunny("claim", Params{Lanes: 64}), "an invocation has as many triangles at any width")
	require.Equal(t, 96, bunny("hash", Params{Workgroup: 32}))
	require.Equal(t, 384, bunny("meshlet", Params{}))
	require.Equal(t, 384, bunny("meshlet", Params{Unique: 64}), "a bound on vertices leaves the indices open")
}

// TestFittedKeepsWhatWasAskedFor: Fitted does not change sizes that the user gave, strategies
// with the paper's batches, or anything on a device with unknown multiprocessors.
func TestFittedKeepsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	same := func(c Config, multiprocessors int) {
		fitted := c.Fitted(1, multiprocessors)
		fitted.FitBatch = c.FitBatch
		require.Equal(t, c.String(), fitted.String())
	}
	for _, s := range Strategies {
		same(resolved(t, s.Name, Params{}), 0)
		same(resolved(t, s.Name, Params{Batch: 93}), 132)
		c := must.Get(Params{}.Resolve(s.Name))
		same(c, 132)
	}
	for _, name := range []string{"naive", "naive-index", "warp", "sort"} {
		same(resolved(t, name, Params{}), 132)
	}
	for _, name := range []string{"hash", "phash", "sort"} {
		same(resolved(t, name, Params{Batching: "dynamic"}), 132)
		same(resolved(t, name, Params{Unique: 64}), 132)
	}
}

// TestFittedGrows: batches grow with the scene, shrink as the device grows, and stay within the
// strategy's bounds. Fitting twice changes nothing.
func TestFittedGrows(t *testing.T) {
	t.Parallel()
	for _, s := range Strategies {
		if s.LeastBatch == nil {
			continue
		}
		for _, v := range s.Variants() {
			if v.Batching != s.Batchings[0] {
				continue
			}
			c := resolved(t, s.Name, Params{Lanes: v.Lanes})
			before := map[int]int{}
			for triangles := 1; triangles < 1<<30; triangles *= 3 {
				for _, multiprocessors := range []int{1, 16, 64, 132, 1000} {
					fitted := c.Fitted(triangles, multiprocessors)
					name := fmt.Sprintf("%s of %d on %d: %d", c, triangles, multiprocessors, fitted.Batch)
					require.Zero(t, fitted.Batch%3, name)
					require.GreaterOrEqual(t, fitted.Batch, max(s.LeastBatch(c), before[multiprocessors]), name)
					require.LessOrEqual(t, fitted.Batch, s.DefaultBatch(c), name)
					require.LessOrEqual(t, fitted.Batch, c.Fitted(triangles, 1).Batch, name)
					require.Equal(t, fitted, fitted.Fitted(1<<30, 1), name)
					before[multiprocessors] = fitted.Batch
				}
			}
			require.Equal(t, s.DefaultBatch(c), before[1], c.String())
		}
	}
}

// TestSizesAskForDynamicBatches: a bound on unique vertices, or a batch larger than a static one
// may be, selects dynamic batches without a flag.
func TestSizesAskForDynamicBatches(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]int{"hash": 384, "phash": 384, "sort": 255} {
		for want, p := range map[string]Params{
			fmt.Sprintf("%s, batch %d", name, batch): {},
			name + ", batch 1023":                    {Batch: 1023},
			name + ", dynamic batches of 1023/64":    {Unique: 64},
			name + ", dynamic batches of 1026/256":   {Batch: 1026},
			name + ", dynamic batches of 1023/256":   {Batching: "dynamic"},
			name + ", dynamic batches of 3072/256":   {Batch: 3072, Batching: "dynamic"},
			name + ", dynamic batches of 1536/512":   {Batch: 1536, Unique: 512},
		} {
			c := must.Get(p.Resolve(name))
			require.Equal(t, want, c.String())
		}
	}
}

// TestTables: by default no table is more than half full, whatever the batch; with a room of 1 the
// table has the paper's size.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hash", "phash"} {
		for _, p := range []Params{{}, {Batching: "dynamic"}, {Unique: 3}, {Unique: 1024}, {Batch: 3}, {Batch: 1023}} {
			c := must.Get(p.Resolve(name))
			require.GreaterOrEqual(t, c.Table(), 2*c.Strategy.MaxUnique(c), c.String())
		}
		paper := must.Get(Params{Batching: "dynamic", Room: 1}.Resolve(name))
		require.Equal(t, [3]int{256, 256, 256}, [3]int{paper.Table(), paper.Unique, paper.Workgroup})
	}
}

// TestDefaultsFitSmallDevices: 32 KiB of shared memory hold every strategy at its default sizes,
// with both forms of the queue.
func TestDefaultsFitSmallDevices(t *testing.T) {
	t.Parallel()
	for _, s := range Strategies {
		for _, v := range s.Variants() {
			for _, vertexBytes := range []int{0, 24} {
				require.LessOrEqual(t, s.SharedBytes(v, true, vertexBytes), 32<<10, "%s, %d bytes of a vertex", v, vertexBytes)
			}
		}
	}
}

// TestPlacesFitGrids: the sizes that docs/embedding.md recommends for claim's vertex queue and for
// spilled vertices hold grids of any width and length, row by row.
func TestPlacesFitGrids(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ lanes, batch, longest int }{{32, 384, 2560}, {32, 768, 1024}, {32, 30, 256}, {8, 240, 400}, {4, 120, 256}} {
		c := must.Get(Resolve("claim", size.lanes, size.batch))
		places := max(18, 16+(240+c.Batch-1)/c.Batch)
		for columns := range uint32(300) {
			for _, triangles := range []int{size.longest, 2 + int(columns), 130} {
				checkPlaces(t, c, places, columns+1, triangles)
			}
		}
	}
}

// checkPlaces requires that a grid's vertices fit: those of batches that need more than their reserved slots fit behind
// these, and those for which a fused batch has no shared memory fit the buffer of spilled ones. `places` is the number of
// slots of the vertex queue reserved per triangle, in sixteenths of a slot. A batch's reserved slots are rounded down here;
// depending on where it begins in the stream, it may have one more.
func checkPlaces(t *testing.T, c Config, places int, columns uint32, triangles int) {
	var indices []uint32
	for v := uint32(0); len(indices) < 3*triangles; v++ {
		if v%(columns+1) < columns {
			indices = append(indices, v, v+1, v+columns+1, v+1, v+columns+2, v+columns+1)
		}
	}
	behind, spilled, batches := 0, 0, 0
	for _, it := range c.Run(indices[:3*triangles]) {
		if n := len(it.Unique); n > len(it.Slots)/3*places/16 {
			behind += n
		}
		spilled += max(0, len(it.Unique)-112*c.Lanes/32)
		batches++
	}
	require.LessOrEqual(t, behind, triangles/4+48, "%d columns, %d triangles, batches of %d", columns, triangles, c.Batch)
	room := max(triangles/4, batches*(c.Batch/3+4-112*c.Lanes/32)) + 48
	require.LessOrEqual(t, spilled, room, "%d columns, %d triangles, batches of %d, %d lanes, fused", columns, triangles, c.Batch, c.Lanes)
}
