// Package measure counts and times: how often strategies and models shade the
// vertices of a scene, verified against the CPU reference, and how long the
// geometry pass and whole frames take.
//
// Count counts a scene in several ways; Geometry, Frames and Repeat time, all by
// the loop in race.go. The results are rows, whose JSON names are a contract:
// commands print them, and reports are made of them.
//
// It runs on any plan.Backend. It knows no flags, files or output.
package measure

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Schema grows when a field of a row changes its meaning.
const Schema = 1

// MaxRuns bounds the runs that are timed, since every time is kept.
const MaxRuns = 100000

// cpu is the name of the backend that needs no device: its results are those of
// the reference.
const cpu = "cpu"

// OnBackend describes a backend.
func OnBackend(b plan.Backend) On {
	i := b.Info()
	return On{i.Name, i.Device, i.Driver, i.Subgroup}
}

// Clock says whose milliseconds a row has.
func (on *On) Clock() string {
	if on.Backend == cpu {
		return "CPU"
	}
	return "GPU"
}

// About names what an error is about; nil without an error.
func About(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// ShadingOf is how a scene is shaded by vertex shaders that are not ours.
type ShadingOf func(*geometry.Scene) (*geometry.Shading, error)

// apply has a frame with a scene shaded so; nil leaves the vertex shader of ours.
func (of ShadingOf) apply(f *renderer.Frame) (err error) {
	if of != nil {
		f.Shading, err = of(f.Scene)
	}
	return err
}

// shaderOf names the vertex shader of a frame.
func shaderOf(f *renderer.Frame) Shader {
	name, programs := f.ShaderCode()
	if programs == nil {
		return Shader{VertexShader: name}
	}
	hash := sha256.New()
	for _, code := range programs {
		for _, word := range code {
			hash.Write(binary.LittleEndian.AppendUint32(nil, word))
		}
	}
	return Shader{name, hex.EncodeToString(hash.Sum(nil))[:12]}
}
