//go:build cgo

package gpu

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer"
)

// Statistics is a query that counts what the graphics pipeline does during Count, in one
// recording. All methods accept nil and then do nothing.
type Statistics struct {
	device *Device
	pool   vk.QueryPool
}

// counted are the counters of a query, in the order of Vulkan's bits, which is also the order of
// the results.
const counted = vk.QueryPipelineStatisticInputAssemblyVerticesBit | vk.QueryPipelineStatisticInputAssemblyPrimitivesBit |
	vk.QueryPipelineStatisticVertexShaderInvocationsBit | vk.QueryPipelineStatisticClippingInvocationsBit

// NewStatistics makes a query; the device must have Features.PipelineStatistics.
func (d *Device) NewStatistics(name string) (*Statistics, error) {
	pool, err := d.newQueryPool(name, vk.QueryPoolCreateInfo{
		QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: vk.QueryPipelineStatisticFlags(counted),
	})
	if err != nil {
		return nil, err
	}
	return &Statistics{d, pool}, nil
}

func (d *Device) newQueryPool(name string, info vk.QueryPoolCreateInfo) (pool vk.QueryPool, err error) {
	info.SType = vk.StructureTypeQueryPoolCreateInfo
	defer info.Free()
	err = Create(d, &pool, vk.ObjectTypeQueryPool, name, "vkCreateQueryPool", func(h *vk.QueryPool) vk.Result {
		return vk.CreateQueryPool(d.handle, &info, nil, h)
	})
	return pool, err
}

// Count records what record records under the query. Call it once per recording, and not within a
// Render.
func (s *Statistics) Count(c *Commands, record func()) {
	if s == nil || c.err != nil {
		record()
		return
	}
	vk.CmdResetQueryPool(c.buf, s.pool, 0, 1)
	vk.CmdBeginQuery(c.buf, s.pool, 0, 0)
	record()
	vk.CmdEndQuery(c.buf, s.pool, 0)
}

// Read returns the counters of the last submission that was waited for.
func (s *Statistics) Read() (out renderer.PipelineStatistics, err error) {
	if s == nil {
		return out, nil
	}
	var n [4]uint64
	size := unsafe.Sizeof(n)
	r := vk.GetQueryPoolResults(s.device.handle, s.pool, 0, 1, uint(size), unsafe.Pointer(&n[0]), vk.DeviceSize(size),
		vk.QueryResultFlags(vk.QueryResult64Bit|vk.QueryResultWaitBit))
	if err := s.device.check("vkGetQueryPoolResults", r); err != nil {
		return out, err
	}
	return renderer.PipelineStatistics{AssembledVertices: n[0], AssembledPrimitives: n[1], VertexInvocations: n[2], ClippedPrimitives: n[3]}, nil
}

// Close frees the query, which no submission may be using. Nil is allowed.
func (s *Statistics) Close() {
	if s == nil || s.device.lost {
		return
	}
	vk.DestroyQueryPool(s.device.handle, s.pool, nil)
	s.pool = vk.NullQueryPool
}
