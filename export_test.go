package shadeonce

import "github.com/shadeonce/shadeonce/internal/base/must"

// Holding returns the bytes of memory that a Vulkan device holds.
func Holding(d *Device) int64 { return must.Get(d.gpu()).Holding().Bytes }
