// Package viewtest makes scenes and plans for the tests of the viewer's packages. Only tests may
// use it, and it imports none of the packages under test.
package viewtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// Scene returns the asset with that name.
func Scene(_ testing.TB, name string) *geometry.Scene { return must.Get(assets.Make(name)) }

// InOrder returns a scene in an index order.
func InOrder(t testing.TB, s *geometry.Scene, name string) *geometry.Scene {
	return must.Get(order.Apply(t.Context(), s, name))
}

// Titled returns a plan with a scene of the given name; the plan cannot be drawn.
func Titled(_ testing.TB, name string) *plan.Plan {
	config := must.Get(reuse.Resolve("warp", 16, 0))
	return &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{Name: name}, Reuse: config, View: renderer.Shaded}}
}

// Moved returns a plan of a scene whose vertices a built-in vertex shader moves.
func Moved(_ testing.TB, scene *geometry.Scene, shader renderer.VertexShader) *plan.Plan {
	config := must.Get(reuse.Resolve("warp", 32, 0))
	f := renderer.Frame{Scene: scene, Reuse: config, VertexShader: shader, Width: 64, Height: 48, Raster: renderer.SoftRaster}
	return must.Get(plan.New(f, soft.New().Limits()))
}

// Windowed returns a plan in more than two windows, and a plan that holds the same scene whole on the device.
func Windowed(t testing.TB, scene *geometry.Scene, p reuse.Params, strategy string) (windows, whole *plan.Plan) {
	f := renderer.Frame{
		Scene: scene, Reuse: must.Get(p.Resolve(strategy)), Raster: renderer.SoftRaster, Width: 8, Height: 8, QueueBudget: 64 << 10,
	}
	whole = must.Get(plan.New(f, soft.New().Limits()))
	if whole.Batches == nil {
		t.Fatal("a plan of a device without a budget keeps no batches")
	}
	for f.DeviceBudget = 33 << 20; ; f.DeviceBudget -= 16 << 10 {
		windows = must.Get(plan.New(f, soft.New().Limits())) // fails if no budget leads to several windows
		if len(windows.Windows) > 2 {
			return windows, whole
		}
	}
}

// Open stands in for opening a file: it returns a triangle, or an error if the path begins with "bad".
func Open(_ context.Context, path string) (*geometry.Scene, error) {
	if strings.HasPrefix(path, "bad") {
		return nil, errors.New("no good")
	}
	return assets.Make("triangle")
}

// Endless is Open, except that files whose names begin with "slow" load until they are cancelled.
func Endless(ctx context.Context, path string) (*geometry.Scene, error) {
	if strings.HasPrefix(path, "slow") {
		progress.Tell(ctx, .25)
		<-ctx.Done()
		return nil, &format.Error{File: path, Cause: "not opened", Err: context.Cause(ctx)}
	}
	return Open(ctx, path)
}
