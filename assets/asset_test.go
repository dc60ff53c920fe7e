package assets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os/exec"
	"regexp"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// scenes names the assets for the tests: each with its default number, and some with smaller or larger ones.
func scenes() []string {
	names := []string{"sphere0", "sphere1", "knot3", "terrain1", "terrain100", "grid1", "tree2", "tree4", "city1", "city32", "patches1", "patches-instanced1000"}
	for _, a := range All {
		names = append(names, a.Name)
	}
	return names
}

func made(t *testing.T, name string) *geometry.Scene {
	return must.Get(Make(name))
}

func TestScenesKeepTheContract(t *testing.T) {
	t.Parallel()
	for _, name := range scenes() {
		t.Run(name, func(t *testing.T) {
			s := made(t, name)
			require.NoError(t, s.Validate(t.Context()))
			require.Equal(t, name, s.Name)
			require.Len(t, s.Normals, len(s.Positions))
			for i, n := range s.Normals {
				require.InDelta(t, 1, exact.Double(n).Dot(exact.Double(n)), 1e-6, "normal %d", i)
			}
			for _, d := range s.Draws {
				require.NotEmpty(t, d.Name)
				require.Positive(t, d.Transform.Mat3().Det(), d.Name)
				require.Equal(t, float32(1), d.Color[3], d.Name)
				for _, part := range d.Color[:3] {
					require.True(t, part > 0.05 && part < 0.95, "%s: colour %v", d.Name, d.Color)
				}
			}
			radius := s.Bounds().Radius()
			require.True(t, radius > 0.5 && radius < 100, "radius %g", radius)
		})
	}
}

func TestFacesTurnTheWayTheirNormalsDo(t *testing.T) {
	t.Parallel()
	for _, name := range scenes() {
		t.Run(name, func(t *testing.T) {
			s := made(t, name)
			faces := 0
			for i, d := range s.Draws {
				indices := s.DrawIndices(i)
				for k := 0; k < len(indices); k += 3 {
					var p, n [3]vec
					for c, id := range indices[k : k+3] {
						p[c] = exact.Double(s.Positions[d.VertexOffset+id])
						n[c] = exact.Double(s.Normals[d.VertexOffset+id])
					}
					face := p[1].Sub(p[0]).Cross(p[2].Sub(p[0]))
					if face.Dot(face) < 1e-12 {
						continue // without area it has no side
					}
					faces++
					for c := range n {
						if !(face.Dot(n[c]) > 0) {
							t.Fatalf("draw %q triangle %d", d.Name, k/3)
						}
					}
				}
			}
			require.Positive(t, faces)
		})
	}
}

// reuse is 1 - referenced / indices, both summed over the draws.
func reuse(s *geometry.Scene) float64 {
	referenced := 0
	for i, d := range s.Draws {
		seen := make([]bool, d.VertexCount)
		for _, id := range s.DrawIndices(i) {
			if !seen[id] {
				seen[id] = true
				referenced++
			}
		}
	}
	return 1 - float64(referenced)/float64(s.IndexStreamLen())
}

func TestIdealReuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		lo, hi float64
	}{
		{"sphere6", 1 - 40962.0/245760, 1 - 40962.0/245760},
		{"knot", 5.0 / 6, 5.0 / 6},
		{"terrain", 1 - 257*257/(6*256*256.0), 1 - 257*257/(6*256*256.0)},
		{"grid1", 1.0 / 3, 1.0 / 3},
		{"tree2", 0.28, 0.35},
		{"tree4", 0.28, 0.35},
		{"tree", 0.310, 0.318},
		{"tree8", 0.28, 0.35},
		{"soup", 0.90, 0.905},
		{"city", 0.74, 0.75},
		{"cube", 1.0 / 3, 1.0 / 3},
		{"triangle", 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := made(t, test.name)
			got := reuse(s)
			t.Logf("%-10s %5d draws %8d vertices %8d triangles, ideal reuse %.4f, box %v",
				test.name, len(s.Draws), len(s.Positions), s.Triangles(), got, s.Bounds())
			require.GreaterOrEqual(t, got, test.lo-1e-12)
			require.LessOrEqual(t, got, test.hi+1e-12)
		})
	}
}

func fingerprint(t *testing.T, s *geometry.Scene) string {
	h := sha256.New()
	for _, part := range []any{s.Positions, s.Normals, s.Indices} {
		require.NoError(t, binary.Write(h, binary.LittleEndian, part))
	}
	for _, d := range s.Draws {
		h.Write([]byte(d.Name))
		numbers := []any{[4]uint32{d.FirstIndex, d.IndexCount, d.VertexOffset, d.VertexCount}, d.Transform, d.Color}
		for _, part := range numbers {
			require.NoError(t, binary.Write(h, binary.LittleEndian, part))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// The fingerprints are the same on every platform. A change here changes every figure and golden
// file made from the scene.
func TestScenesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"sphere":            "26ddfb3de69c1b37",
		"knot":              "e6040b542ff9685c",
		"terrain":           "21cd6db3c4a4feae",
		"grid":              "0eb5b8d92cb0a52c",
		"tree":              "96c85d68642c55d8",
		"soup":              "0a129653084cb963",
		"city":              "df5b86b1b0c35b09",
		"patches":           "ed1491dc5a0d11f2",
		"patches-joined":    "47774b32d77610b0",
		"patches-instanced": "3cffa587281f737b",
		"cube":              "802f3a460fee0067",
		"triangle":          "2c0be3a4aaa3735e",
	}
	for name, print := range want {
		got := fingerprint(t, made(t, name))
		t.Logf("%q: %q,", name, got)
		require.Equal(t, got, fingerprint(t, made(t, name)), "%s made twice", name)
		require.Equal(t, print, got, name)
	}
	require.Len(t, want, len(All))
}

// A fingerprint on one platform proves nothing for platforms that fuse products and sums, so the test
// looks at the code that the compiler makes for such a platform.
func TestNothingIsFused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles for another platform")
	}
	build := exec.Command("go", "build", "-gcflags=-S", ".")
	build.Env = append(build.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
	listing := must.Get(build.CombinedOutput())
	require.Regexp(t, `\bFMULD\b`, string(listing), "no assembly listing")
	fused := regexp.MustCompile(`.*\bFN?M(ADD|SUB)[SD]\b.*`)
	require.Empty(t, fused.FindAllString(string(listing), -1))
}

func TestNames(t *testing.T) {
	t.Parallel()
	const have = "have sphere[0..10], knot[3..500], terrain[1..8192], grid[1..4096], tree[2..10], soup, city[1..32], patches[1..40000], patches-joined[1..40000], patches-instanced[1..100000], cube, triangle"
	tests := []struct{ name, message string }{
		{"", `unknown asset "": ` + have},
		{"6", `unknown asset "6": ` + have},
		{"x", `unknown asset "x": ` + have},
		{"Sphere", `unknown asset "Sphere": did you mean sphere? ` + have},
		{"sphere-1", `unknown asset "sphere-1": did you mean sphere? ` + have},
		{"sphere6.5", `unknown asset "sphere6.5": did you mean sphere? ` + have},
		{"sphere٣", `unknown asset "sphere٣": did you mean sphere? ` + have},
		{"shpere5", `unknown asset "shpere5": did you mean sphere5? ` + have},
		{"cub5", `unknown asset "cub5": did you mean cube? ` + have},
		{"icospere", `unknown asset "icospere": did you mean icosphere? ` + have},
		{"sphere11", `asset "sphere11": level 11 is out of range 0..10`},
		{"knot2", `asset "knot2": sides 2 is out of range 3..500`},
		{"terrain0", `asset "terrain0": quads a side 0 is out of range 1..8192`},
		{"terrain8193", `asset "terrain8193": quads a side 8193 is out of range 1..8192`},
		{"grid18446744073709551617", `asset "grid18446744073709551617": quads a side 18446744073709551617 is out of range 1..4096`},
		{"tree11", `asset "tree11": levels of branches 11 is out of range 2..10`},
		{"city33", `asset "city33": lots a side 33 is out of range 1..32`},
		{"soup3", `asset "soup3": soup takes no number`},
		{"cube0", `asset "cube0": cube takes no number`},
	}
	for _, test := range tests {
		s, err := Make(test.name)
		require.EqualError(t, err, test.message)
		require.Nil(t, s)
	}
	require.Equal(t, made(t, "sphere3").Positions, made(t, "icosphere3").Positions)
	require.Equal(t, made(t, "sphere").Indices, made(t, "sphere6").Indices)
}

func TestRegistryIsWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, a := range All {
		require.False(t, seen[a.Name], a.Name)
		seen[a.Name] = true
		require.NotNil(t, a.Make)
		require.Equal(t, a.Hi != 0, a.Parameter != "", a.Name)
		require.True(t, a.Lo <= a.Default && a.Default <= a.Hi, a.Name)
	}
}

func TestSincos(t *testing.T) {
	t.Parallel()
	for k := -4000; k <= 4000; k++ {
		turns := float64(k) / 999
		sin, cos := sincos(turns)
		require.InDelta(t, math.Sin(2*math.Pi*turns), sin, 4e-15)
		require.InDelta(t, math.Cos(2*math.Pi*turns), cos, 4e-15)
	}
	for k, want := range [][2]float64{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		sin, cos := sincos(float64(k) / 4)
		require.Equal(t, want[0]+0, sin+0)
		require.Equal(t, want[1]+0, cos+0)
	}
}

// TestTexCoords: texture coordinates run along the two axes in which a scene is largest, the first axis
// first: x and z for a flat grid, x and y for a wall higher than wide.
func TestTexCoords(t *testing.T) {
	wall := grid(2)
	for i, p := range wall.Positions {
		wall.Positions[i] = mgl32.Vec3{p[0], 3 * p[2], 0}
	}
	for second, s := range map[int]*geometry.Scene{2: grid(2), 1: wall} {
		AddTexCoords(s)
		require.NoError(t, s.Validate(t.Context()))
		a := s.Attributes[0]
		require.Equal(t, "TEXCOORD_0", a.Name)
		component := func(vertex, n int) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(a.Element(vertex)[4*n:]))
		}
		lo, hi := s.Bounds().Min, s.Bounds().Max
		for i, p := range s.Positions {
			for n, axis := range []int{0, second} {
				require.Equal(t, (p[axis]-lo[axis])/(hi[axis]-lo[axis]), component(i, n))
			}
		}
	}
}
