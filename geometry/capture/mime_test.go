package capture

import (
	"encoding/xml"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// TestDesktopsKnowEveryFormat: the installed MIME types have each extension that can be read,
// uncompressed and compressed, and no other.
func TestDesktopsKnowEveryFormat(t *testing.T) {
	text := must.Get(os.ReadFile(shareddata.Tree(t, "share", "mime", "packages", "shadeonce.xml")))
	var types struct {
		Type []struct {
			Name string `xml:"type,attr"`
			Glob []struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	require.NoError(t, xml.Unmarshal(text, &types))
	listed := map[string]string{}
	for _, mime := range types.Type {
		for _, g := range mime.Glob {
			require.Empty(t, listed[g.Pattern], "%s is of two types", g.Pattern)
			listed[g.Pattern] = mime.Name
		}
	}
	want := map[string]bool{}
	for _, r := range Readers() {
		for _, ext := range r.Extensions {
			switch ext {
			case ".csv": // most tables are not meshes
				continue
			case ".xml": // most XML files are not frames
				ext = ".zip.xml"
			}
			want["*"+ext] = true
			for _, p := range []string{".gz", ".zst"} {
				want["*"+ext+p] = true
			}
		}
	}
	for pattern := range want {
		require.NotEmpty(t, listed[pattern], "no type has %s", pattern)
	}
	for pattern := range listed {
		require.True(t, want[pattern], "%s is not read", pattern)
	}
}
