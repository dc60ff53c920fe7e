package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestMissingBarrierIsCaught proves that synchronization validation is on: without it, all other
// tests would pass with a missing barrier.
func TestMissingBarrierIsCaught(t *testing.T) {
	needValidation(t)
	d := openDevice(t, OpenOptions{})
	a, b := newBuffer(t, d, "a", 1024, UsageStorage), newBuffer(t, d, "b", 1024, UsageStorage)
	for _, c := range []struct {
		name   string
		stages barrierStages
		caught bool
	}{
		{"none", barrierStages{}, true},
		{"wrong source stage", barrierStages{computeStage, transferStage, vk.AccessShaderWriteBit, vk.AccessTransferReadBit}, true},
		{"right", barrierStages{transferStage, transferStage, vk.AccessTransferWriteBit, vk.AccessTransferReadBit}, false},
	} {
		commands := newCommands(t, d)
		commands.Begin()
		commands.Pass("fill", func() { commands.Fill(a, 1) }) // timestamps order nothing
		if c.stages.src != 0 {
			require.Equal(t, vk.Success, d.ext.barrier(commands.buf, c.stages, nil, nil))
		}
		d.ext.copyBuffer(commands.buf, a.handle, b.handle, 0, 0, 1024)
		require.NoError(t, commands.End())
		messages := d.instance.Messages()
		if c.caught {
			require.NotEmpty(t, messages, c.name)
			require.Contains(t, strings.Join(messages, "\n"), "SYNC-HAZARD-READ-AFTER-WRITE", c.name)
			require.Contains(t, messages[0], "a", "objects carry their names")
		} else {
			require.Empty(t, messages, c.name)
		}
		d.instance.ClearMessages()
	}
}

func TestLeakIsReported(t *testing.T) {
	needValidation(t)
	in := must.Get(NewInstance(Options{Validation: true}))
	infos := must.Get(Devices(in))
	i := must.Get(Choose(infos, ""))
	d := must.Get(Open(in, infos[i], OpenOptions{CacheDir: NoCache}))
	must.Get(d.NewBuffer("forgotten", 16, UsageStorage))
	require.NoError(t, d.Close())
	in.Close()
	require.Contains(t, strings.Join(in.Messages(), "\n"), "forgotten")
}

func TestBarriersOfAHistory(t *testing.T) {
	read := shaderUse(computeStage, vk.AccessShaderReadBit)
	readVertex := shaderUse(vertexStage, vk.AccessShaderReadBit)
	write := shaderUse(computeStage, vk.AccessShaderReadBit|vk.AccessShaderWriteBit)
	const both = vk.AccessShaderReadBit | vk.AccessShaderWriteBit
	none := barrierStages{}
	for _, c := range []struct {
		name string
		uses []use
		want []barrierStages
	}{
		{"reads need nothing", []use{read, readVertex, read}, []barrierStages{none, none, none}},
		{"read after write, once", []use{copyTo, read, read}, []barrierStages{
			none, {transferStage, computeStage, vk.AccessTransferWriteBit, vk.AccessShaderReadBit}, none,
		}},
		{"another stage reads too", []use{copyTo, read, readVertex, read}, []barrierStages{
			none, {transferStage, computeStage, vk.AccessTransferWriteBit, vk.AccessShaderReadBit},
			{transferStage, computeStage | vertexStage, vk.AccessTransferWriteBit, vk.AccessShaderReadBit}, none,
		}},
		{"write after reads waits for all", []use{read, readVertex, copyTo}, []barrierStages{
			none, none, {computeStage | vertexStage, transferStage, 0, vk.AccessTransferWriteBit},
		}},
		{"write after write", []use{write, write}, []barrierStages{none, {computeStage, computeStage, both, both}}},
		{"indirect after write", []use{write, drawIndirect}, []barrierStages{
			none, {computeStage, vk.PipelineStageDrawIndirectBit, both, vk.AccessIndirectCommandReadBit},
		}},
	} {
		var h history
		for i, u := range c.uses {
			var got barrierStages
			got, h = h.next(u)
			if got.src == 0 {
				got = none
			}
			require.Equal(t, c.want[i], got, "%s, use %d", c.name, i)
		}
	}
}

// TestUsesOfOneCommand: several uses of a resource by one command are joined. The joined use is
// atomic only if all of them are.
func TestUsesOfOneCommand(t *testing.T) {
	plain := shaderUse(computeStage, vk.AccessShaderReadBit|vk.AccessShaderWriteBit)
	atomic := plain
	atomic.atomic = true
	for _, uses := range [][2]use{{plain, atomic}, {atomic, plain}, {atomic, atomic}} {
		c, b := Commands{}, new(Buffer)
		c.useBuffer(b, uses[0])
		c.useBuffer(b, uses[1])
		require.Equal(t, uses[0].atomic && uses[1].atomic, c.bufferUses[0].use.atomic)
	}
}

// TestRecordsOfAStep: records that may run at the same time may both read a buffer, or both update it
// by atomics; any other use of one buffer is refused.
func TestRecordsOfAStep(t *testing.T) {
	reads, writes := shaderUse(computeStage, vk.AccessShaderReadBit), shaderUse(computeStage, vk.AccessShaderReadBit|vk.AccessShaderWriteBit)
	updates := writes
	updates.atomic = true
	for _, c := range []struct {
		first, second use
		refused       bool
	}{{reads, reads, false}, {writes, reads, true}, {reads, writes, true}, {writes, updates, true}, {updates, updates, false}} {
		shared, other := &Buffer{Name: "shared"}, new(Buffer)
		commands := Commands{Name: "step", noting: &step{}}
		for record, uses := range []map[*Buffer]use{{shared: c.first}, {shared: c.second, other: writes}} {
			commands.noting.record = record
			for b, u := range uses {
				commands.useBuffer(b, u)
			}
			commands.noteStep()
		}
		if !c.refused {
			require.NoError(t, commands.err)
			continue
		}
		require.EqualError(t, commands.err, "gpu: step: records that may run at the same time use buffer shared, and one writes it")
	}
}
