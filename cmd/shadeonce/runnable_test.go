package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// lesser is a backend with lower limits than the real device.
type lesser struct {
	plan.Backend
	limits renderer.Limits
}

func (l lesser) Limits() renderer.Limits { return l.limits }

func (l lesser) Info() plan.Info {
	i := l.Backend.Info()
	i.Device = "Lesser 1"
	return i
}

// noBallot is a device without subgroup ballot and shuffle, and without 64-bit
// atomics.
func noBallot() lesser {
	b := soft.New()
	l := b.Limits()
	l.Missing = []string{"GroupNonUniformBallot", "GroupNonUniformShuffle", "Int64Atomics"}
	return lesser{b, l}
}

// analyzeOn runs analyze's work on a backend, as parsed from a command line. It must not fail.
func analyzeOn(t testing.TB, b plan.Backend, args ...string) (rows []measure.Analysis, notices []string) {
	return must.Get2(tryAnalyze(t, b, args...))
}

func tryAnalyze(t testing.TB, b plan.Backend, args ...string) (rows []measure.Analysis, notices []string, err error) {
	var f analyzeFlags
	flags := pflag.NewFlagSet("analyze", pflag.ContinueOnError)
	f.add(flags)
	require.NoError(t, flags.Parse(args))
	w := f.wanted()
	notices, _, err = f.count(b, io.Discard, w, flags.Args(), func(_ context.Context, of measure.Subject, all []*measure.Counted) {
		for _, c := range all {
			rows = append(rows, measure.Analyze(of, c))
		}
	})
	return rows, notices, err
}

func strategiesOf(rows []measure.Analysis) []string {
	return names.Of(rows, func(r measure.Analysis) string { return r.Strategy })
}

func TestAllIsWhatTheDeviceRuns(t *testing.T) {
	t.Parallel()
	b := noBallot()
	rows, notices := analyzeOn(t, b, "asset:cube")
	runs := plan.Strategies(b.limits)
	require.Equal(t, runs, strategiesOf(rows))
	require.Less(t, len(runs), len(reuse.Strategies))
	require.Len(t, notices, 1)
	require.Regexp(t, `^Lesser 1 cannot run warp, .*\bclaim\b.*: left out$`, notices[0])

	rows, notices = analyzeOn(t, b, "asset:cube", "--strategy", "hash,naive")
	require.Equal(t, []string{"hash", "naive"}, strategiesOf(rows))
	require.Equal(t, []string{""}, notices)
}

// If a real device pretends to lack the features that noBallot lacks, the other strategies still run, and their
// counts equal the reference's.
func TestWhatIsLeftRunsOnTheGPU(t *testing.T) {
	b, done := must.Get2(devices.session(gpu.BackendOptions{}))
	defer done()
	less := lesser{b, b.Limits()}
	less.limits.Missing, less.limits.NativeLanes = noBallot().limits.Missing, nil
	rows, notices := analyzeOn(t, less, "asset:sphere3")
	require.Equal(t, plan.Strategies(less.limits), strategiesOf(rows))
	require.Equal(t, "gpu", rows[0].Backend)
	require.Contains(t, notices[0], "warp")
}

// plainDevice returns a device that has limits and no features.
func plainDevice() gpu.DeviceInfo {
	return gpu.DeviceInfo{Name: "Lesser 1", Limits: gpu.Limits{
		StorageBufferBytes: 1 << 27, SharedMemoryBytes: 32 << 10, WorkgroupInvocations: 1024, WorkgroupSize: [3]int{1024, 1024, 64},
		WorkgroupCount: [3]int{65535, 65535, 65535}, Image2D: 4096,
	}, Heaps: []gpu.MemoryHeap{{Bytes: 1 << 30, Budget: 1 << 30, DeviceLocal: true}}}
}

func TestDoctorTellsWhatRuns(t *testing.T) {
	t.Parallel()
	info := plainDevice()
	subgroup := func() finding { return examineDevice(&info)[1] }
	info.Subgroup.Ops = gpu.OpBasic
	require.False(t, subgroup().ok)
	require.True(t, subgroup().optional, "the others run")
	require.Contains(t, subgroup().remedy, "strategies that run here: naive, naive-index, ")
	info.Subgroup.Ops |= gpu.OpBallot | gpu.OpShuffle
	require.True(t, subgroup().ok)
	info.Limits.WorkgroupInvocations = 1
	require.False(t, subgroup().optional)
	require.Contains(t, subgroup().remedy, "strategies that run here: none;")
}

func TestAnImpossibleStrategyIsBadUsage(t *testing.T) {
	t.Parallel()
	_, _, err := tryAnalyze(t, noBallot(), "no such file", "--strategy", "hash,warp")
	var usage cli.UsageError
	require.ErrorAs(t, err, &usage, "ahead of the files")
	require.ErrorContains(t, err, "Lesser 1: geometry/warp needs subgroup ballot (GroupNonUniformBallot), which the device lacks; it runs naive, naive-index, ")
}

func TestSharedMemoryIsCheckedAheadOfTheFiles(t *testing.T) {
	t.Parallel()
	b := lesser{soft.New(), soft.New().Limits()}
	b.limits.SharedBytes = 8 << 10
	_, _, err := tryAnalyze(t, b, "no such file", "--strategy", "hash", "--unique", "1024", "--table", "1")
	var usage cli.UsageError
	require.ErrorAs(t, err, &usage)
	require.ErrorContains(t, err, "the device has 8 KiB: at most 512 unique vertices per batch, or batches of at most 510 indices would fit")
	analyzeOn(t, b, "asset:cube", "--strategy", "hash", "--unique", "512", "--table", "1")
	// "all" leaves out strategies whose default sizes do not fit; if only the requested sizes do not fit, it is an error.
	_, _, err = tryAnalyze(t, b, "no such file", "--strategy", "all", "--unique", "1024")
	require.ErrorAs(t, err, &usage)
}

func TestDevicesListsTheirStrategies(t *testing.T) {
	t.Parallel()
	info := plainDevice()
	info.Subgroup = gpu.Subgroup{Size: 16, Min: 16, Max: 16, Ops: gpu.OpBasic}
	require.Equal(t, plan.Strategies(noBallot().limits), plan.Strategies(info.PlanLimits()))
	require.Contains(t, info.PlanLimits().Missing, "Int64Atomics")
	require.NotContains(t, info.PlanLimits().Missing, "Shader")

	d := device{Strategies: plan.Strategies(info.PlanLimits())}
	require.Contains(t, d.strategiesText(), "naive, naive-index, ")
	info.Subgroup.Ops |= gpu.OpBallot | gpu.OpShuffle
	require.Equal(t, reuse.Names(), plan.Strategies(info.PlanLimits()))
	d.Strategies = reuse.Names()
	require.Equal(t, "all", d.strategiesText())
	old := newDevice(0, &info, false) // a device with version 0 of Vulkan
	require.NotEmpty(t, old.Unusable)
	require.Equal(t, []string{}, old.Strategies)
	require.Equal(t, "none", old.strategiesText())
	var text bytes.Buffer
	require.NoError(t, writeDevices(&text, []device{old}))
	require.Contains(t, text.String(), "strategies")
}

// counting is a backend with a graphics pipeline that shades every index.
type counting struct {
	plan.Backend
	said  uint64 // number of invocations that it claims; 0 for the true number
	lacks string
}

func (c counting) Info() plan.Info {
	i := c.Backend.Info()
	i.HardwareCounts, i.HardwareLacks = c.counts, c.lacks
	return i
}

func (c counting) counts(s *geometry.Scene) (counts []uint32, invocations uint64, err error) {
	counts = make([]uint32, s.DrawVertices())
	for i, offset := range reuse.CountOffsets(s) {
		for _, id := range s.DrawIndices(i) {
			counts[offset+id]++
			invocations++
		}
	}
	if c.said != 0 {
		invocations = c.said
	}
	return counts, invocations, nil
}

func TestHardwareIsARowOfItsOwnKind(t *testing.T) {
	t.Parallel()
	rows, notices := analyzeOn(t, counting{Backend: soft.New()}, "asset:cube", "--strategy", "warp", "--model", "hardware,ideal")
	require.Equal(t, []string{"warp", "ideal", "hardware"}, strategiesOf(rows))
	require.Equal(t, []string{measure.KindStrategy, measure.KindModel, measure.KindHardware}, []string{rows[0].Kind, rows[1].Kind, rows[2].Kind})
	require.Equal(t, 36, rows[2].Invocations)
	require.Equal(t, []int{0, 12, 12}, rows[2].Histogram)
	require.Equal(t, []string{""}, notices)
	var text bytes.Buffer
	require.NoError(t, print.WriteAnalyses(&text, rows))
	require.Contains(t, text.String(), "hardware: counted while the graphics pipeline of")

	_, notices = analyzeOn(t, counting{Backend: soft.New(), said: 40}, "asset:cube", "--strategy", "none", "--model", "hardware")
	require.Equal(t, []string{"hardware: the counts add up to 36 invocations, the device's statistics say 40"}, notices)

	_, _, err := tryAnalyze(t, soft.New(), "no such file", "--model", "hardware")
	require.EqualError(t, err, "model hardware: the cpu backend cannot count what a graphics pipeline shades")
}

// TestDoctorSaysWhatDoesNotRun: on a device like SwiftShader, doctor lists the parts that need missing features.
func TestDoctorSaysWhatDoesNotRun(t *testing.T) {
	f := examineFeatures(gpu.Features{})
	require.False(t, f.ok)
	require.True(t, f.optional)
	for _, text := range []string{"no --raster compute and no --cull", "no stores from vertex shaders", "other lane counts run in shared memory"} {
		require.Contains(t, f.remedy, text)
	}
	require.NotContains(t, f.remedy, "64-bit atomics", "without integers they are no matter")
	f = examineFeatures(gpu.Features{Int64: true, VertexStores: true, SubgroupSizeControl: true})
	require.Regexp(t, "^no 64-bit atomics[^;]*$", f.remedy)
}

// TestRasterAuto: auto is the default of render's --raster, also on the CPU backend. Unknown raster hosts are refused.
func TestRasterAuto(t *testing.T) {
	raster := must.Get(cli.ParseRaster(newRender(nil).Flags().Lookup("raster").DefValue))
	require.Equal(t, renderer.AutoRaster, raster)
	raster = must.Get(cli.ParseRaster("compute"))
	require.Equal(t, renderer.ComputeRaster, raster)
	_, err := cli.ParseRaster("software")
	require.Error(t, err)
	fine(t, "render", "asset:cube", "--backend", "cpu", "--raster", "auto", "--plan")
}

// TestEmbeddingHasTheNeeds: the manual's table has what plan.Stages says of a device with subgroups of 32 lanes and, in
// brackets, of one without.
func TestEmbeddingHasTheNeeds(t *testing.T) {
	t.Parallel()
	limits := renderer.Limits{MaxWorkgroup: 1024, SharedBytes: 48 << 10}
	virtual := plan.Stages(limits)
	limits.NativeLanes = []int{32}
	native := plan.Stages(limits)
	find := func(needs []plan.Stage, strategy string, fused bool) plan.Stage {
		for _, n := range needs {
			if n.Strategy == strategy && n.Fused == fused {
				return n
			}
		}
		return plan.Stage{}
	}
	both := func(x, y int) string {
		if x == y {
			return fmt.Sprint(x)
		}
		return fmt.Sprintf("%d (%d)", x, y)
	}
	table := "| strategy | BATCH | UNIQUE | TABLE | WORKGROUP | batches of it | shared bytes | shared bytes, fused | capabilities |\n" + strings.Repeat("| --- ", 9) + "|\n"
	for _, name := range reuse.Names() {
		n, v := find(native, name, false), find(virtual, name, false)
		constant := func(constant string) string {
			x, has := n.Constants[constant]
			if !has || constant == "UNIQUE" && !slices.Contains([]string{"hash", "phash", "sort", "meshlet"}, name) {
				return ""
			}
			return both(int(x), int(v.Constants[constant]))
		}
		fused := ""
		if f := find(native, name, true); f.Strategy != "" {
			fused = both(f.SharedBytes, find(virtual, name, true).SharedBytes)
			require.Subset(t, f.Capabilities, append([]string{"GroupNonUniformBallot", "Int64", "Int64Atomics"}, n.Capabilities...))
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, constant("BATCH"), constant("UNIQUE"), constant("TABLE"), constant("WORKGROUP"),
			both(n.Batches, v.Batches), both(n.SharedBytes, v.SharedBytes), fused, strings.Join(n.Capabilities, ", "))
	}
	require.Contains(t, string(must.Get(os.ReadFile(shareddata.Tree(t, "docs", "embedding.md")))), table)
	row := decode(t, call("devices", "--json").out)[0]
	require.Len(t, row["needs"], len(native))
}
