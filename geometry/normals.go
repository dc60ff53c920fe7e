package geometry

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// MakeNormals fills Normals with area-weighted vertex normals if the scene has none, and sets NormalsMade. A vertex
// without a triangle of positive area gets +Z. If the context ends first, MakeNormals returns its
// cause, and the normals must not be used.
func (s *Scene) MakeNormals(ctx context.Context) error {
	if len(s.Normals) == len(s.Positions) && len(s.Normals) != 0 {
		return nil
	}
	s.Normals, s.NormalsMade = make([]mgl32.Vec3, len(s.Positions)), true
	if err := s.MakeNormalsOf(progress.Part(ctx, 0, .9), func(*Draw) bool { return true }); err != nil {
		return err
	}
	return progress.Each(progress.Part(ctx, .9, 1), len(s.Normals), func(from, to int) {
		for i, n := range s.Normals[from:to] {
			if n == (mgl32.Vec3{}) { // outside the ranges of all draws
				s.Normals[from+i] = mgl32.Vec3{0, 0, 1}
			}
		}
	})
}

// MakeNormalsOf does the same for the vertices of the chosen draws only, for files that have
// normals for some of their meshes. Normals must be as long as Positions, and zero in the ranges
// of the chosen draws.
func (s *Scene) MakeNormalsOf(ctx context.Context, chosen func(*Draw) bool) error {
	seen := make(map[drawRanges]bool, len(s.Draws))
	var ranges [][2]uint32
	done, share := 0., .8/float64(max(len(s.Indices), 1))
	for i := range s.Draws {
		d := &s.Draws[i]
		// Instances would add the same faces again, so each range counts once.
		if seen[d.ranges()] || !chosen(d) {
			continue
		}
		seen[d.ranges()] = true
		end := d.VertexOffset + d.VertexCount
		ranges = append(ranges, [2]uint32{d.VertexOffset, end})
		normals, positions, indices := s.Normals[d.VertexOffset:end], s.Positions[d.VertexOffset:end], s.DrawIndices(i)
		before := done
		done = min(done+float64(len(indices))*share, .8) // draws may share indices
		if err := progress.Each(progress.Part(ctx, before, done), len(indices)/3, func(from, to int) {
			addFaceNormals(normals, positions, indices[3*from:3*to])
		}); err != nil {
			return err
		}
	}
	slices.SortFunc(ranges, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) })
	upTo := uint32(0)
	for _, r := range ranges {
		// Ranges of draws may overlap: skip the vertices that are done.
		normals := s.Normals[max(r[0], min(upTo, r[1])):r[1]]
		upTo = max(upTo, r[1])
		if err := progress.Each(progress.Silent(ctx), len(normals), func(from, to int) {
			for i := from; i < to; i++ {
				normals[i] = unitOr(normals[i], mgl32.Vec3{0, 0, 1})
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

func addFaceNormals(normals, positions []mgl32.Vec3, indices []uint32) {
	for k := 0; k+2 < len(indices); k += 3 {
		a, b, c := indices[k], indices[k+1], indices[k+2]
		p := positions[a]
		face := positions[b].Sub(p).Cross(positions[c].Sub(p))
		normals[a] = normals[a].Add(face)
		normals[b] = normals[b].Add(face)
		normals[c] = normals[c].Add(face)
	}
}

// unitOr scales v to length 1, or returns fallback where v has no direction
// (zero, or so large or small that its length is not a normal number).
func unitOr(v, fallback mgl32.Vec3) mgl32.Vec3 {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	n := x*x + y*y + z*z
	if !(n > 1e-60 && n < 1e60) {
		return fallback
	}
	inv := 1 / math.Sqrt(n)
	return mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
}
