package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsLeaveEverythingAsItWas(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"broken stage": {
			func(t *testing.T, dir string) {
				edit(t, dir, "raster/corner.vert", "void main() {", "void main() {\n    missing = 1;")
			},
			"raster/corner.vert:4: 'missing' : undeclared identifier",
		},
		"broken include": {
			func(t *testing.T, dir string) { edit(t, dir, "include/nested.glsl", "vec3 low;", "vec9 low;") },
			"include/nested.glsl:2: syntax error, unexpected IDENTIFIER",
		},
		"missing include": {
			func(t *testing.T, dir string) { edit(t, dir, "raster/shade.frag", "structs.glsl", "absent.glsl") },
			"raster/shade.frag:4: '#include' : Could not process include directive for header name: include/absent.glsl",
		},
		"no main": {
			func(t *testing.T, dir string) { edit(t, dir, "raster/corner.vert", "void main", "void other") },
			"raster/corner.vert: Linking vertex stage: Missing entry point",
		},
		"struct declared twice": {
			func(t *testing.T, dir string) {
				edit(t, dir, "raster/shade.frag", `#include "include/structs.glsl"`, "struct Inner { vec2 size_px; vec3 low; };")
			},
			"struct Inner differs between layout/padded.comp and raster/shade.frag: Low vec3 at 0 against SizePx vec2 at 0",
		},
		"struct with two strides": {
			func(t *testing.T, dir string) {
				edit(t, dir, "raster/shade.frag", "layout(set", "struct Two { float a[1]; vec4 b; };\nlayout(set = 0, binding = 20) readonly buffer Loose { Two loose; };\nlayout(set = 0, binding = 21) uniform Wide { Two wide; };\nlayout(set")
				edit(t, dir, "raster/shade.frag", "0.0, 1.0", "loose.b.x, wide.b.x")
			},
			"struct Two differs between raster/shade.frag and raster/shade.frag: other strides",
		},
		"one binding twice": {
			func(t *testing.T, dir string) { edit(t, dir, "layout/padded.comp", "binding = 12", "binding = 10") },
			"layout/padded.comp: Items and Results share set 0, binding 10",
		},
		"an image": {
			func(t *testing.T, dir string) {
				edit(t, dir, "raster/shade.frag", "void main", "layout(binding = 5) uniform sampler2D colors;\nvoid main")
				edit(t, dir, "raster/shade.frag", "0.0, 1.0", "texture(colors, vec2(0.0)).xy")
			},
			"raster/shade.frag: colors is an image or a sampler: only buffers are supported",
		},
		"one binding under two names": {
			func(t *testing.T, dir string) { edit(t, dir, "raster/shade.frag", "binding = 4", "binding = 11") },
			"set 0, binding 11 is descriptor Words in layout/subgroup.comp and descriptor One in raster/shade.frag",
		},
		"one buffer at two bindings": {
			func(t *testing.T, dir string) { edit(t, dir, "raster/shade.frag", "buffer One", "buffer Words") },
			"descriptor Words has set 0, binding 11 in layout/subgroup.comp and set 0, binding 4 in raster/shade.frag",
		},
		"one specialization constant under two names": {
			func(t *testing.T, dir string) {
				useConstant(t, dir, "layout(constant_id = 7) const int LEAN = 0;", "LEAN")
			},
			"constant_id 7 is specialization constant BIAS in layout/padded.comp and specialization constant LEAN in raster/corner.vert",
		},
		"one specialization constant with two ids": {
			func(t *testing.T, dir string) {
				useConstant(t, dir, "layout(constant_id = 4) const int BIAS = 0;", "BIAS")
			},
			"specialization constant BIAS has constant_id 7 in layout/padded.comp and constant_id 4 in raster/corner.vert",
		},
		"wide specialization constant": {
			func(t *testing.T, dir string) {
				useConstant(t, dir, "layout(constant_id = 0) const double WIDE = 1.0;", "WIDE")
			},
			"raster/corner.vert: specialization constant WIDE is not a bool or a number of 32 bits",
		},
		"row-major matrix": {
			func(t *testing.T, dir string) {
				edit(t, dir, "layout/padded.comp", "std430) readonly", "std430, row_major) readonly")
			},
			"layout/padded.comp: Items: struct Padded: member basis: a row-major mat3: declare it column-major",
		},
		"variant of nothing": {
			func(t *testing.T, dir string) { add(t, dir, "variants.txt", "a = raster/absent.vert\n") },
			"variants.txt: raster/absent.vert: no such stage file",
		},
		"malformed variant": {
			func(t *testing.T, dir string) { add(t, dir, "variants.txt", "\na raster/corner.vert\n") },
			"variants.txt:2: expected",
		},
		"malformed define": {
			func(t *testing.T, dir string) { add(t, dir, "variants.txt", "a = raster/corner.vert -o=x\n") },
			`variants.txt:1: "-o=x" is not of the form DEFINE=VALUE`,
		},
		"two stages of one name": {
			func(t *testing.T, dir string) { add(t, dir, "raster/corner.frag", "#version 450\nvoid main() {}\n") },
			"shader raster/corner would overwrite that of raster/corner.frag",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // parallel to the other cases, since each waits for the compiler
			dir := builtTree(t)
			edit(t, dir, "layout/subgroup.comp", "WORKGROUP = 64u", "WORKGROUP = 32u") // would change if it could
			test.change(t, dir)
			before := snapshot(t, dir)
			err := run(options{dir: dir}, io.Discard)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "compilation")
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(lines))), len(lines), "a line is said once")
			require.Equal(t, before, snapshot(t, dir))
		})
	}
}

// useConstant makes raster/corner.vert declare and use a constant.
func useConstant(t *testing.T, dir, declaration, name string) {
	edit(t, dir, "raster/corner.vert", "void main", declaration+"\nvoid main")
	edit(t, dir, "raster/corner.vert", "0.0, 0.0", "float("+name+"), 0.0")
}

func TestEveryBrokenShaderIsReported(t *testing.T) {
	dir := newTree(t)
	edit(t, dir, "raster/corner.vert", "vec4(", "vec5(")
	edit(t, dir, "layout/subgroup.comp", "uvec4 mask", "uvec5 mask")
	err := run(options{dir: dir}, io.Discard)
	require.ErrorContains(t, err, "raster/corner.vert:3: 'vec5'")
	require.ErrorContains(t, err, "layout/subgroup.comp:13: 'uvec5'")
	require.NoFileExists(t, filepath.Join(dir, generatedName))
	require.NoDirExists(t, filepath.Join(dir, "spirv"))
}
