package envelope

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

func made(t testing.TB, m *apps.Mesh, side Side, percent float64) (*Envelope, []Shaded) {
	e := must.Get(New(t.Context(), m, side, percent))
	out := must.Get(e.Shade(t.Context()))
	return e, out
}

// unbounded moves every vertex by the whole distance.
func (e *Envelope) unbounded() []Shaded {
	out := make([]Shaded, len(e.Positions))
	for v := range out {
		out[v] = Shaded{e.moved(uint32(v), Levels), Levels}
	}
	return out
}

// TestWithoutTree compares the levels of some vertices with the minimum over all pairs, computed
// one by one.
func TestWithoutTree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sphere1", "knot3", "terrain4", "soup", "cube", "triangle"} {
		if testing.Short() && name == "soup" {
			continue // its overlapping triangles take most of the time
		}
		m := meshtest.Mesh(t, name)
		for _, side := range []Side{Outer, Inner} {
			for _, percent := range []float64{2, 30} {
				e, out := made(t, m, side, percent)
				for v := 0; v < len(e.Positions); v += 1 + len(e.Positions)/20 {
					level := e.Caps[v]
					for _, own := range e.around(v) {
						for other := range uint32(len(e.Triangles)) {
							if other != own {
								level = min(level, e.pairLevel(min(own, other), max(own, other), Levels))
							}
						}
					}
					if len(e.around(v)) > 0 {
						require.Equal(t, max(level, 0), out[v].Level, "%s %s %g: vertex %d", name, side, percent, v)
						require.Equal(t, e.moved(uint32(v), out[v].Level), out[v].Position)
					}
				}
			}
		}
	}
}

// TestNothingNewMeets: no two triangles of the envelope intersect, and no triangle of it intersects
// one of the mesh. With all vertices at the highest level some would.
func TestNothingNewMeets(t *testing.T) {
	t.Parallel()
	caught := 0
	for _, name := range []string{"sphere2", "knot4", "cube", "terrain9", "grid4"} {
		m := meshtest.Mesh(t, name)
		require.Zero(t, meeting(m), name)
		for _, side := range []Side{Outer, Inner} {
			for _, percent := range []float64{2, 15, 60} {
				e, out := made(t, m, side, percent)
				require.Zero(t, meeting(e.Result(out)), "%s %s %g", name, side, percent)
				require.Zero(t, meeting(meshtest.Together(m, e.Result(out))), "%s %s %g and the mesh", name, side, percent)
				caught += min(1, meeting(e.Result(e.unbounded())))
			}
		}
	}
	require.Greater(t, caught, 5)
}

// TestMeetingOfOthers expects the published numbers of intersecting pairs, unbounded and bounded.
func TestMeetingOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		unbounded int
	}{{"spot.obj", 498}, {"kitten.obj", 768}, {"bun_zipper.ply", 6186}, {"armadillo.off.zst", 24371}} {
		if testing.Short() && c.name != "spot.obj" {
			continue
		}
		m := meshtest.Mesh(t, c.name)
		e, out := made(t, m, Outer, 2)
		require.Equal(t, c.unbounded, meeting(e.Result(e.unbounded())), c.name)
		require.Zero(t, meeting(e.Result(out)), c.name)
	}
}

// TestMeshesThatMeetThemselves: as many pairs intersect in the envelope as at rest, which is the published number.
func TestMeshesThatMeetThemselves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rest int
	}{{"suzanne.obj", 91}, {"cow.obj.zst", 81}, {"camelhead.off.zst", 5}, {"teapot.obj", 161}, {"photon_buddha.obj.zst", 83}} {
		if testing.Short() && c.name != "suzanne.obj" {
			continue
		}
		m := meshtest.Mesh(t, c.name)
		require.Equal(t, c.rest, meeting(m), c.name)
		e, out := made(t, m, Outer, 2)
		require.Equal(t, c.rest, meeting(e.Result(out)), c.name)
	}
}

// TestTorus makes the envelope of a ring whose hole is a nineteenth as wide as its tube. The hole limits levels, and so do
// the ring's coarse facets.
func TestTorus(t *testing.T) {
	t.Parallel()
	const around, across = 96, 64
	var positions []mgl32.Vec3
	var triangles []uint32
	for i := range uint32(around) {
		for j := range uint32(across) {
			sinU, cosU := math.Sincos(2 * math.Pi * float64(i) / around)
			sinV, cosV := math.Sincos(2 * math.Pi * float64(j) / across)
			r := 1 + .95*cosV
			positions = append(positions, mgl32.Vec3{float32(r * cosU), float32(r * sinU), float32(.95 * sinV)})
			next, up := (i+1)%around, (j+1)%across
			a, b, c, d := i*across+j, next*across+j, next*across+up, i*across+up
			triangles = append(triangles, a, b, c, a, c, d)
		}
	}
	m := must.Get(apps.Weld(t.Context(), positions, triangles))
	e, out := made(t, m, Outer, 2)
	least := slices.MinFunc(out, func(a, b Shaded) int { return int(a.Level - b.Level) }).Level
	require.EqualValues(t, 58, least)
	require.EqualValues(t, 109, int32(.05/e.Distance*Levels), "what the hole allows")
	require.Zero(t, meeting(e.Result(out)))
	require.Positive(t, meeting(e.Result(e.unbounded())))
}

// TestFacingSheets makes envelopes of two flat sheets that face each other, a/64 of the envelope's distance
// apart. Each sheet may move by just less than half the gap.
func TestFacingSheets(t *testing.T) {
	t.Parallel()
	const n, percent = 6, 2
	for _, a := range []int32{1, 2, 37, 64, 127, 128} {
		far := float64(a) / 64 * percent / 100
		far *= n * math.Sqrt2 / math.Sqrt(1-far*far) // now in units of the grid: percent refers to the box's diagonal, which far lengthens
		var positions []mgl32.Vec3
		var triangles []uint32
		for side := range uint32(2) {
			base := uint32(len(positions))
			at := func(x, y uint32) uint32 { return base + y*(n+1) + x }
			for y := range uint32(n + 1) {
				for x := range uint32(n + 1) {
					positions = append(positions, mgl32.Vec3{float32(x), float32(y), float32(float64(side) * far)})
				}
			}
			for y := range uint32(n) {
				for x := range uint32(n) {
					i, j, k, l := at(x, y), at(x+1, y), at(x+1, y+1), at(x, y+1)
					if side == 1 {
						j, l = l, j
					}
					triangles = append(triangles, i, j, k, i, k, l)
				}
			}
		}
		m := must.Get(apps.Weld(t.Context(), positions, triangles))
		_, out := made(t, m, Outer, percent)
		for v := range out {
			require.Equal(t, 2*a-1, out[v].Level, "%d/64 of the distance, vertex %d", a, v)
		}
		_, out = made(t, m, Inner, percent)
		require.False(t, slices.ContainsFunc(out, func(s Shaded) bool { return s.Level != Levels }), "they go apart")
	}
}

// TestStrategiesShadeAlike: every strategy gives the same vertices. The last vertex is
// unreferenced, and rests.
func TestStrategiesShadeAlike(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "knot4")
	m.Positions = append(m.Positions, mgl32.Vec3{1, 2, 3})
	e, want := made(t, m, Outer, 10)
	require.Equal(t, Shaded{Position: e.Positions[len(want)-1]}, want[len(want)-1])
	for _, s := range reuse.Strategies {
		c := must.Get(reuse.Params{}.Resolve(s.Name))
		made := must.Get(e.ShadeBy(t.Context(), c))
		require.Equal(t, want, made.Vertices, s.Name)
		require.False(t, slices.Contains(made.Counts[:len(want)-1], 0))
		require.GreaterOrEqual(t, made.Stats.Invocations, len(want)-1)
	}
}

func TestSides(t *testing.T) {
	t.Parallel()
	for i, want := range [][]Side{{Outer}, {Inner}, {Outer, Inner}} {
		sides := must.Get(Sides(SideNames[i]))
		require.Equal(t, want, sides)
	}
}

// TestNotices: the notice of each side counts the referenced vertices that could not move.
func TestNotices(t *testing.T) {
	m := &apps.Mesh{Triangles: []uint32{0, 1, 2, 2, 1, 3}}
	d := Driver{Sides: []Side{Outer, Inner}, meshes: []*apps.Mesh{m, {Triangles: m.Triangles[:3]}},
		shaded: [][]Shaded{{{}, {Level: 1}, {}, {}, {}}, {{Level: 1}, {}, {Level: 1}, {}, {}}}}
	require.Equal(t, []string{
		"x.ply: 3 of 4 vertices of the outer envelope stay where they are: the mesh meets itself there, or nearly",
		"x.ply: 1 of 3 vertices of the inner envelope stay where they are: the mesh meets itself there, or nearly",
	}, d.Notices("x.ply"))
	d.shaded[0] = []Shaded{{Level: 1}, {Level: 1}, {Level: 2}, {Level: 3}, {}}
	require.Len(t, d.Notices("x.ply"), 1)
}

// TestFirstOrderIsSaved: if a mesh has several orders, the envelopes of the first are saved.
func TestFirstOrderIsSaved(t *testing.T) {
	d := Driver{Run: apps.Run{Configs: []reuse.Config{must.Get(reuse.Resolve("naive", 0, 0))}}, Sides: []Side{Outer, Inner}, Percent: 2}
	require.NoError(t, d.Do(t.Context(), measure.Subject{Order: "original", Scene: meshtest.Scene(t, "cube")}))
	first := d.meshes[0]
	require.NoError(t, d.Do(t.Context(), measure.Subject{Order: "random", Scene: meshtest.Scene(t, "cube")}))
	require.Len(t, d.Rows(), 4)
	require.Same(t, first, d.meshes[0])
	require.NoError(t, d.Save(t.Context(), filepath.Join(t.TempDir(), "cube.ply")))
}

// TestScaleDoesNotMatter: scaling the mesh by a power of two does not change levels, and scales
// the envelope.
func TestScaleDoesNotMatter(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "knot4")
	e, want := made(t, m, Outer, 10)
	for _, factor := range []float32{1 << 40, 1. / (1 << 40)} {
		scaled := &apps.Mesh{Triangles: m.Triangles}
		for _, p := range m.Positions {
			scaled.Positions = append(scaled.Positions, p.Mul(factor))
		}
		other, out := made(t, scaled, Outer, 10)
		require.Equal(t, want, out)
		require.InEpsilon(t, e.Distance*float64(factor), other.Distance, 1e-12)
		for v, p := range other.Result(out).Positions {
			require.Equal(t, e.Result(want).Positions[v].Mul(factor), p)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "triangle")
	for _, percent := range []float64{0, -1, 101, math.NaN(), math.Inf(1)} {
		_, err := New(t.Context(), m, Outer, percent)
		require.ErrorContains(t, err, " % of the diagonal: must be 0.001 to 100")
	}
}
