package survey

import (
	"context"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
)

// Applications run the paper's applications on the device, by every strategy. They are
// functions, since what runs them knows devices.
type Applications struct {
	Subdivide, Envelope func(context.Context, measure.Subject) ([]measure.ApplicationRow, error)
	Walk                func(context.Context) ([]measure.ApplicationRow, error)
}

// shapes are the paper's scenes of tables 3 and 4.
var shapes = []string{"bunny", "sphere", "buddha"}

// applications runs the applications on the paper's scenes. A device that is a CPU
// only subdivides.
func (m *survey) applications() error {
	a := m.Applications
	if a == nil || m.report.Run.Backend == cpu {
		return nil
	}
	for i := range m.report.Scenes {
		s := &m.report.Scenes[i]
		if !slices.Contains(shapes, s.Paper) {
			continue
		}
		ctx := m.Stage(timed, applied, "subdividing %s and making its envelope", s.Name)
		if err := m.shape(ctx, s); err != nil {
			return fmt.Errorf("%s: order %s: %w", m.paths[s.Name], report.PaperOrder, err)
		}
	}
	if m.report.Run.Software || a.Walk == nil {
		return nil
	}
	return m.keep(a.Walk(m.Stage(timed, applied, "walking")))
}

// shape runs the applications on a mesh.
func (m *survey) shape(ctx context.Context, s *report.Scene) error {
	scene, err := m.open(s.Name)
	if err != nil {
		return err
	}
	if scene, err = order.Apply(ctx, scene, report.PaperOrder); err != nil {
		return err
	}
	subject := measure.Subject{File: s.Name, Order: report.PaperOrder, Scene: scene}
	if err := m.keep(m.Applications.Subdivide(ctx, subject)); err != nil || m.report.Run.Software {
		return err
	}
	return m.keep(m.Applications.Envelope(ctx, subject))
}

func (m *survey) keep(rows []measure.ApplicationRow, err error) error {
	m.report.Applications = append(m.report.Applications, rows...)
	return err
}
