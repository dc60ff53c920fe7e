package measure

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// Shader are the fields of a row that name the vertex shader.
type Shader struct {
	VertexShader string `json:"vertex_shader"`      // of ours by its name, a file without its folder, or captured
	ShaderHash   string `json:"vertex_shader_hash"` // of the SPIR-V that is not ours: the first 12 digits of its SHA-256; else empty
}

// ShadingOf is how a scene is shaded by vertex shaders that are not ours.
type ShadingOf func(*geometry.Scene) (*renderer.Shading, error)

// apply has a frame with a scene shaded so; nil leaves the vertex shader of ours.
func (of ShadingOf) apply(f *renderer.Frame) (err error) {
	if of != nil {
		f.Shading, err = of(f.Scene)
	}
	return err
}

// shaderOf names the vertex shader of a frame.
func shaderOf(f *renderer.Frame) Shader {
	if f.Shading == nil {
		return Shader{VertexShader: f.VertexShader.String()}
	}
	hash := sha256.New()
	for i := range f.Shading.Programs {
		for _, word := range f.Shading.Programs[i].Code {
			hash.Write(binary.LittleEndian.AppendUint32(nil, word))
		}
	}
	return Shader{f.Shading.Name, hex.EncodeToString(hash.Sum(nil))[:12]}
}
