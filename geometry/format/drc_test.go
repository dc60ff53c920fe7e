package format

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

func TestDRC(t *testing.T) {
	_, mesh := dracoMesh()
	s, err := Readers(nil).Attributes().Open(t.Context(), dracoTerrain)
	require.NoError(t, err)
	require.Equal(t, mesh.Indices, s.Indices)
	var positions []float32
	for _, p := range s.Positions {
		positions = append(positions, p[:]...)
	}
	require.Equal(t, floatsOf(mesh.Attributes[0].Data), positions)
	require.Len(t, s.Normals, mesh.Points)
	require.InDelta(t, floatsOf(mesh.Attributes[1].Data)[1], s.Normals[0][1], 1e-6)
	names, formats := []string{}, []vertexformat.Format{}
	for k, a := range s.Attributes {
		names, formats = append(names, a.Name), append(formats, a.Format)
		require.Equal(t, mesh.Attributes[k+2].Data, a.Data)
	}
	require.Equal(t, []string{"TEXCOORD_0", "COLOR_0", "_4", "_5", "_6"}, names)
	require.Equal(t, []vertexformat.Format{vertexformat.R32G32_SFLOAT, vertexformat.R8G8B8A8_UNORM, vertexformat.Array(4, 16, "UINT"),
		vertexformat.R32G32B32A32_SFLOAT, vertexformat.R32_SFLOAT}, formats)

	require.True(t, must.Get(Readers(nil).Looks(false).Open(t.Context(), dracoTerrain)).Look.UpV)
	plain := must.Get(Open(t.Context(), dracoTerrain))
	require.Empty(t, plain.Attributes)
	bare := must.Get(Open(t.Context(), "internal/draco/testdata/seams-knot3-edgebreaker-3-p-1.1.2.1.1.drc"))
	require.Len(t, bare.Normals, len(bare.Positions)) // made, since the file has none
}

// TestDRCIsKnownByItsBeginning: whatever its name.
func TestDRCIsKnownByItsBeginning(t *testing.T) {
	data, mesh := dracoMesh()
	path := filepath.Join(t.TempDir(), "a.bin")
	must.OK(os.WriteFile(path, data, 0o600))
	require.Equal(t, mesh.Indices, must.Get(Open(t.Context(), path)).Indices)
	data = bytes.Clone(data)
	data[7] = 0
	must.OK(os.WriteFile(path, data, 0o600))
	_, err := Open(t.Context(), path)
	require.EqualError(t, err, path+": is a point cloud, which is not supported")
}

func FuzzDRC(f *testing.F) {
	data, _ := dracoMesh()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) { _ = requireHarmless(t, "fuzz.drc", data) })
}
