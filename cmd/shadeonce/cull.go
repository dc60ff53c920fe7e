package main

import (
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// culledRow is what rows say of culling; zero without. The JSON names are a
// contract.
type culledRow struct {
	Cull             bool   `json:"cull"`
	CullFaces        string `json:"cull_faces"`
	CulledFrustum    int    `json:"culled_frustum"` // triangles, by the first test that drops one
	CulledBackFace   int    `json:"culled_back_face"`
	CulledZeroArea   int    `json:"culled_zero_area"`
	CulledNoSample   int    `json:"culled_no_sample"`
	TrianglesLeft    int    `json:"triangles_left"`
	VerticesPlaced   int    `json:"vertices_placed"`
	AttributesShaded int    `json:"attributes_shaded"`
}

func newCulledRow(f *renderer.Frame, c renderer.Culling) culledRow {
	if !f.Cull {
		return culledRow{}
	}
	return culledRow{
		Cull: true, CullFaces: f.CullFaces.String(), CulledFrustum: c.Frustum, CulledBackFace: c.BackFace, CulledZeroArea: c.ZeroArea,
		CulledNoSample: c.NoSample, TrianglesLeft: c.Survived, VerticesPlaced: c.Positioned, AttributesShaded: c.Shaded,
	}
}

func (r culledRow) String() string {
	return fmt.Sprintf("culled: %s", renderer.Culling{
		Frustum: r.CulledFrustum, BackFace: r.CulledBackFace, ZeroArea: r.CulledZeroArea, NoSample: r.CulledNoSample,
		Survived: r.TrianglesLeft, Positioned: r.VerticesPlaced, Shaded: r.AttributesShaded,
	})
}

// setCulling checks bench's flags of culling, before any file is opened.
func (f *benchFlags) setCulling(frame *renderer.Frame) (err error) {
	if err := f.CullFlags.Apply(frame); err != nil {
		return err
	}
	if !f.Cull || f.frames.on { // whole frames have rasters, sizes and cameras of their own
		return nil
	}
	frame.Raster = renderer.ComputeRaster // nothing is drawn, but its grid is exactly known
	if len(f.frames.sizes) != 1 || len(f.frames.cameras) != 1 {
		return cli.Usagef("bench --cull takes one --size and one --camera, got %d and %d", len(f.frames.sizes), len(f.frames.cameras))
	}
	if frame.Width, frame.Height, err = cli.ParseSize(f.frames.sizes[0]); err != nil {
		return err
	}
	if _, err := frameCamera(f.frames.cameras[0], geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, frame.Width, frame.Height); err != nil {
		return cli.AsUsage(err)
	}
	return nil
}

// viewOf is the camera that bench looks at a scene with.
func (f *benchFlags) viewOf(frame renderer.Frame) (renderer.Camera, error) {
	if !f.Cull { // nothing depends on it
		return renderer.FitCamera(frame.Scene.Bounds(), 1), nil
	}
	return frameCamera(f.frames.cameras[0], frame.Scene.Bounds(), frame.Width, frame.Height)
}

// benchCulling fills in what bench's frames cull: the same for all loads.
func benchCulling(b plan.Backend, frame renderer.Frame, c reuse.Config, camera renderer.Camera) (culledRow, error) {
	if !frame.Cull {
		return culledRow{}, nil
	}
	frame.Reuse = c
	out, p, err := plan.Render(b, frame, camera, renderer.WantCounts)
	if err != nil {
		return culledRow{}, err
	}
	return newCulledRow(&p.Frame, out.Culling), nil
}

// cullNote says what was culled of each file: strategies differ in the vertices
// alone. Empty without culling.
func cullNote(rows []benchRow) string {
	var text strings.Builder
	last := ""
	for _, r := range rows {
		if r.Cull && r.File != last {
			fmt.Fprintf(&text, "%s, %s, milliseconds with culling; %s\n", cli.Printable(r.File), r.Strategy, r.culledRow)
		}
		last = r.File
	}
	return text.String()
}
