package shadeonce

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// Device executes the geometry stage. One goroutine may use it at a time.
type Device struct {
	backend plan.Backend
	adopted *gpu.Device // the caller's device; nil if OpenDevice opened one
}

// CPU is the name of a device that needs no Vulkan: the renderer in Go.
const CPU = "cpu"

// OpenDevice opens a device by its number or a part of its name, as `shadeonce devices` lists them.
// "" opens the default device, and CPU the renderer in Go.
func OpenDevice(name string) (*Device, error) {
	if name == CPU {
		return &Device{backend: soft.New()}, nil
	}
	b, err := gpu.OpenBackend(gpu.BackendOptions{Device: name})
	if err != nil {
		return nil, err
	}
	return &Device{backend: b}, nil
}

// Close frees the device. After Adopt it frees only what this package made on the caller's device.
func (d *Device) Close() {
	if d == nil || d.backend == nil {
		return
	}
	d.backend.Close()
	if d.adopted != nil {
		d.adopted.Close()
	}
	d.backend = nil
}

// Name returns the device's own name.
func (d *Device) Name() string {
	if d.check() != nil {
		return ""
	}
	return d.backend.Info().Device
}

func (d *Device) check() error {
	if d == nil || d.backend == nil {
		return errors.New("shadeonce: no device, or it was closed")
	}
	return nil
}

// gpu returns the device's backend; an error if it is not a Vulkan device.
func (d *Device) gpu() (*gpu.Backend, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	b, ok := d.backend.(*gpu.Backend)
	if !ok {
		return nil, errors.New("shadeonce: this needs a device of Vulkan")
	}
	return b, nil
}

// Frame says what Render draws. The zero value is valid.
type Frame struct {
	Strategy      string        // one of Strategies; "" is claim
	View          string        // "counts" (how often each vertex was shaded), "batches" or "shaded"; "" is counts
	Raster        string        // "hardware", "compute", "fused" or "mesh"; on CPU "soft"; on both "auto"; "" is auto
	Width, Height int           // pixels; if both are 0, 1280 and 720
	Camera        *Camera       // nil shows all of the scene
	Shader        *VertexShader // nil is the built-in one
}

// Camera looks at a scene. Its zero value sees nothing: FitCamera makes one.
type Camera = renderer.Camera

// FitCamera returns a camera that shows a whole scene in a picture of the given size.
func FitCamera(s *Scene, width, height int) (Camera, error) {
	if err := check(s); err != nil {
		return Camera{}, err
	}
	if width < 1 || height < 1 {
		return Camera{}, fmt.Errorf("shadeonce: picture of %dx%d", width, height)
	}
	return renderer.FitCamera(s.Bounds(), float32(width)/float32(height)), nil
}

// VertexShader is a compiled vertex shader of the caller, with the values of its blocks. Its field
// Missing is an error that lists members without a value, or nil; Notes lists names in the uniforms
// file that the shader does not have. It is immutable.
type VertexShader = shade.Shader

// OpenShader compiles a vertex shader (GLSL, HLSL, WGSL or SPIR-V), and reads the values of its
// blocks from a uniforms file; "" means none (docs/vertex-shaders.md).
func OpenShader(ctx context.Context, file, uniforms string) (*VertexShader, error) {
	if ctx == nil || file == "" {
		return nil, errors.New("shadeonce: OpenShader without a context or a file")
	}
	return shade.Open(ctx, shade.Source{File: file, Uniforms: uniforms})
}

// Picture is the result of Render.
type Picture struct {
	*image.RGBA
	Counts Counts
}

// frame checks a scene and a Frame, fills in the Frame's defaults, and returns the frame to plan.
func (d *Device) frame(s *Scene, f *Frame) (out renderer.Frame, err error) {
	defer must.Catch(&err)
	must.OK(d.check())
	if f.Strategy == "" {
		f.Strategy = "claim"
	}
	out.Reuse = must.Get(configure(s, f.Strategy))
	if err := s.Validate(context.Background()); err != nil {
		return out, fmt.Errorf("shadeonce: %w", err)
	}
	if f.Width == 0 && f.Height == 0 {
		f.Width, f.Height = 1280, 720
	}
	if f.Width < 1 || f.Height < 1 || max(f.Width, f.Height) > renderer.MaxImageSide {
		return out, fmt.Errorf("shadeonce: picture of %dx%d: each side must be 1 to %d", f.Width, f.Height, renderer.MaxImageSide)
	}
	view := must.Get(known("view", f.View, renderer.ViewNames))
	raster := must.Get(known("raster host", f.Raster, renderer.RasterHostNames))
	out.Scene, out.View, out.Raster, out.Width, out.Height = s, renderer.View(view), renderer.RasterHost(raster), f.Width, f.Height
	if f.Raster == "" {
		out.Raster = renderer.AutoRaster
	}
	if d.backend.Info().Name == CPU {
		if out.Raster != renderer.AutoRaster && out.Raster != renderer.SoftRaster {
			return out, fmt.Errorf("shadeonce: the device %s %s: it excludes Raster %s", CPU, plan.OnlySoft, f.Raster)
		}
		out.Raster = renderer.SoftRaster
	}
	out.Shading, err = f.Shader.Shading(s, "")
	return out, err
}

// Render draws a scene.
func (d *Device) Render(s *Scene, f Frame) (_ *Picture, err error) {
	defer must.Catch(&err)
	frame := must.Get(d.frame(s, &f))
	camera := must.Get(FitCamera(s, f.Width, f.Height))
	if f.Camera != nil {
		camera = *f.Camera
	}
	out, _ := must.Get2(plan.Render(d.backend, frame, camera, renderer.WantColor|renderer.WantCounts))
	return &Picture{out.Color, Counts{out.Stats, out.Counts}}, nil
}

// Count counts like the function Count, but on the device.
func (d *Device) Count(s *Scene, strategy string) (_ Counts, err error) {
	defer must.Catch(&err)
	frame := must.Get(d.frame(s, &Frame{Strategy: strategy}))
	must.Get(reuse.Lookup(strategy)) // "" is not claim here
	frame.NoRaster, frame.View = true, renderer.NoView
	out, _ := must.Get2(plan.Render(d.backend, frame, renderer.CountCamera(s.Bounds()), renderer.WantCounts))
	return Counts{out.Stats, out.Counts}, nil
}
