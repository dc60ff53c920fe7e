package measure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// counting is a backend that counts by the reference, and notes how many draws it had.
type counting struct{ draws int }

func (b *counting) Name() string   { return "gpu" }
func (b *counting) Device() string { return "a processor" }
func (b *counting) Software() bool { return true }
func (b *counting) Close()         {}
func (b *counting) Limits() renderer.Limits {
	return renderer.Limits{MaxBufferBytes: 1 << 30, MaxImageSide: 1 << 12, MaxGroups: 1 << 16, MaxWorkgroup: 1 << 10, SharedBytes: 32 << 10}
}

func (b *counting) Exec(p *plan.Plan, _ renderer.Camera, _ renderer.Want) (*renderer.Output, error) {
	b.draws += len(p.Frame.Scene.Draws)
	_, counts := reuse.Analyze(p.Frame.Scene, p.Frame.Reuse)
	return &renderer.Output{Counts: counts}, nil
}

// A scene of copies costs a device what one of them does.
func TestInstancesAreCountedOnce(t *testing.T) {
	t.Parallel()
	s, err := assets.Make("cube")
	require.NoError(t, err)
	const copies = 1440
	instances := *s
	instances.Draws = nil
	for range copies {
		instances.Draws = append(instances.Draws, s.Draws...)
	}
	c, err := reuse.Resolve("claim", 8, 0)
	require.NoError(t, err)
	b := &counting{}
	one, err := Strategy(c, renderer.Frame{}).Count(b, s)
	require.NoError(t, err)
	require.Equal(t, len(s.Draws), b.draws)
	all, err := Strategy(c, renderer.Frame{}).Count(b, &instances)
	require.NoError(t, err)
	require.Equal(t, 2*len(s.Draws), b.draws)
	require.Equal(t, copies*one.Invocations, all.Invocations)
	require.Equal(t, copies*one.Vertices, all.Vertices)
	require.Len(t, all.Draws, copies*len(s.Draws))
	require.Equal(t, one.Draws[0], all.Draws[copies-1])
}

// The hint stands where a device that is the CPU has many distinct indices.
func TestCPUHint(t *testing.T) {
	t.Parallel()
	s := &geometry.Scene{Draws: []geometry.Draw{{IndexCount: manyIndices - 3}, {IndexCount: manyIndices - 3}}}
	require.Empty(t, CPUHint(&counting{}, s), "instances count once")
	s.Draws[1].FirstIndex = 3
	require.Contains(t, CPUHint(&counting{}, s), "--backend cpu")
	require.Empty(t, CPUHint(nil, s))
}
