// Package measure counts and times: how often strategies and models shade the vertices of a
// scene, verified against the CPU reference, and how long the geometry pass and whole frames
// take.
//
// Count counts a scene in several ways; Geometry, Frames and Repeat measure times, all by the
// loop in race.go. The results are rows with stable JSON names: commands print them, and reports
// are made from them.
//
// It runs on any plan.Backend. It knows nothing of flags, files or output.
package measure

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// Schema is increased when the meaning of a row's field changes.
const Schema = 1

// MaxRuns bounds the number of timed runs, since every time is kept.
const MaxRuns = 100000

// cpu is the name of the backend that needs no device; its results are those of the reference.
const cpu = "cpu"

// OnBackend describes a backend.
func OnBackend(b plan.Backend) On {
	i := b.Info()
	return On{i.Name, i.Device, i.Driver, i.Subgroup}
}

// Clock says whose clock measured a row's milliseconds.
func (on *On) Clock() string {
	if on.Backend == cpu {
		return "CPU"
	}
	return "GPU"
}

// About adds to an error what it is about; nil stays nil.
func About(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// shaderOf names the vertex shader of a frame.
func shaderOf(f *renderer.Frame) Shader {
	name, programs := f.ShaderCode()
	if programs == nil {
		return Shader{VertexShader: name}
	}
	hash := sha256.New()
	for _, code := range programs {
		hash.Write(module.Bytes(code))
	}
	return Shader{name, hex.EncodeToString(hash.Sum(nil))[:12]}
}
