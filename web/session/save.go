package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Saved says what the written file lacks, a line each.
type Saved struct{ Notices []string }

// save writes what `shadeonce convert --order` writes. It opens the file again, since a scene that
// is only shown has neither materials nor attributes.
func (s *Session) save(ctx context.Context, r *Request) (a Answer, err error) {
	if format.Extension(r.Path) != ".glb" {
		return a, errors.New("the page writes GLB")
	}
	whole := format.GLTFCopy{
		Reorder: func(ctx context.Context, scene *geometry.Scene) (*geometry.Scene, error) {
			return order.Apply(ctx, scene, r.Order)
		},
		Save: func(ctx context.Context, write func(io.Writer) error) error { return format.SaveAs(ctx, r.Path, write) },
	}
	scene := s.scene
	if !strings.HasPrefix(s.path, AssetPrefix) {
		if scene, err = capture.ReadersAlone(&whole).Looks(false).Open(progress.Part(ctx, 0, .4), s.path); err != nil {
			return a, plain(s.path, err)
		}
	}
	saved := Saved{whole.Notices}
	if !whole.Saved {
		fresh, err := whole.Reorder(progress.Part(ctx, .4, .9), scene)
		if err != nil {
			return a, err
		}
		if err := format.Save(ctx, r.Path, fresh); err != nil {
			return a, plain(r.Path, err)
		}
		lacks, _ := format.Lacks(r.Path, scene)
		if lost := slices.Concat(scene.Beside, lacks); len(lost) > 0 {
			saved.Notices = append(saved.Notices, "lost: "+strings.Join(lost, ", "))
		}
		if text := scene.LeftOut(); text != "" {
			saved.Notices = append(saved.Notices, text)
		}
	}
	return Answer{Value: saved}, nil
}
