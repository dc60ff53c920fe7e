// Package gltf has Khronos's validator read what `shadeonce convert` writes. It has only tests.
//
// The tests run if SHADEONCE_WEB is set, as by `make test-web`, which installs the validator beside the
// page's modules.
package gltf

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// validate is a script that prints the validator's errors for a file as JSON.
const validate = `
const {readFileSync} = require('fs');
require('gltf-validator').validateBytes(new Uint8Array(readFileSync(process.argv[1])), {maxIssues: 20}).then(
	r => console.log(JSON.stringify(r.issues.messages.filter(m => m.severity === 0).map(m => m.code + ' ' + m.pointer))),
	e => { console.error(e); process.exit(1); });`

// TestNoErrors converts our own scenes, and real files if available: OBJ, PLY, Draco, glTF, and captured
// frames whose draws have transforms that glTF does not allow.
func TestNoErrors(t *testing.T) {
	if os.Getenv("SHADEONCE_WEB") == "" {
		t.Skip("SHADEONCE_WEB is not set: make test-web installs the validator and runs this test")
	}
	root := shareddata.Tree(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "shadeonce")
	out, err := exec.Command("go", "build", "-o", program, root+"/cmd/shadeonce").CombinedOutput()
	require.NoError(t, err, "%s", out)
	errors := func(path string) (list []string) {
		cmd := exec.Command("node", "-e", validate, path)
		cmd.Dir = filepath.Join(root, "web")
		cmd.Stderr = os.Stderr
		require.NoError(t, json.Unmarshal(must.Get(cmd.Output()), &list))
		return list
	}
	files := []string{"asset:city3", "asset:knot", filepath.Join(root, "geometry/format/internal/draco/testdata/seams-knot3-edgebreaker-1-ntg-11.10.8.8.8.drc")}
	for _, parts := range [][]string{
		{"meshes", "spot.obj"}, {"meshes", "helmet_draco.ply.zst"}, {"meshes", "sw_deer.gltf"},
		{"captures", "oa.geo.zip.xml.zst"}, {"captures", "stk_vulkan_zengarden.draws.zst"},
	} {
		if path, ok := shareddata.Find(parts...); ok {
			files = append(files, path)
		} else {
			t.Log(parts, "is not there")
		}
	}
	for _, path := range files {
		for _, order := range []string{"original", "tipsify+fetch"} {
			glb := filepath.Join(folder, "x.glb")
			out, err := exec.Command(program, "convert", path, "-o", glb, "--order", order).CombinedOutput()
			require.NoError(t, err, "%s: %s", path, out)
			require.Empty(t, errors(glb), "%s, %s", path, order)
		}
	}

	bad := filepath.Join(folder, "bad.gltf") // the validator must find an error here, which shows that it can
	require.NoError(t, os.WriteFile(bad, []byte(`{"asset":{"version":"2.0"},"nodes":[{"mesh":1}]}`), 0o600))
	require.Equal(t, []string{"UNRESOLVED_REFERENCE /nodes/0/mesh"}, errors(bad))
}
