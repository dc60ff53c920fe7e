//go:build cgo

package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/adrg/xdg"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
)

// The pipeline cache is the driver's compiled shaders, kept between runs in one file per device
// and driver: a magic word, the SHA-256 of the rest, and the driver's data. Drivers trust that
// data, so a file that fails any check is ignored, and replaced at Close.
const (
	cacheMagic    = "shadeonce pipelines 1\n"
	cacheMaxBytes = 64 << 20
)

type pipelineCache struct {
	handle vk.PipelineCache
	path   string // empty if it is not kept
	grown  bool   // whether a pipeline was made since it was read
}

func (d *Device) openCache(dir string) error {
	c := &d.cache
	switch dir {
	case NoCache:
	case "":
		c.path = filepath.Join(xdg.CacheHome, "shadeonce", d.cacheName())
	default:
		c.path = filepath.Join(dir, d.cacheName())
	}
	data := readCache(c.path, &d.Info)
	return Create(d, &c.handle, vk.ObjectTypePipelineCache, "pipeline cache", "vkCreatePipelineCache", func(h *vk.PipelineCache) vk.Result {
		return d.ext.createCache(data, h)
	})
}

// key identifies the device and its driver in words. A CPU's speed depends on its cores, too.
func (i *DeviceInfo) key() string {
	key := fmt.Sprintf("%s, %s %s %x, %x", i.Name, i.DriverName, i.DriverInfo, i.DriverVersion, i.DeviceUUID)
	if i.Type == TypeCPU {
		key += fmt.Sprintf(", %d cores", runtime.NumCPU())
	}
	return key
}

func (d *Device) cacheName() string {
	i := &d.Info
	return fmt.Sprintf("%s-%s-%x.bin", hex.EncodeToString(i.DeviceUUID[:]), hex.EncodeToString(i.driverUUID[:4]), i.DriverVersion)
}

// readCache returns the driver's data, or nil if there is no file or it belongs to another
// device.
func readCache(path string, info *DeviceInfo) []byte {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	file, err := io.ReadAll(io.LimitReader(f, cacheMaxBytes))
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(file, []byte(cacheMagic))
	if !ok || len(rest) < sha256.Size {
		return nil
	}
	data := rest[sha256.Size:]
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], rest[:sha256.Size]) || !cacheFits(data, info) {
		return nil
	}
	return data
}

// cacheFits checks VkPipelineCacheHeaderVersionOne: size, version, vendor, device, and the UUID
// by which the driver recognizes its own data.
func cacheFits(data []byte, info *DeviceInfo) bool {
	const headerBytes = 32
	if len(data) < headerBytes {
		return false
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	return word(0) >= headerBytes && int64(word(0)) <= int64(len(data)) && word(1) == 1 &&
		word(2) == info.VendorID && word(3) == info.DeviceID && bytes.Equal(data[16:32], info.cacheUUID[:])
}

// closeCache writes the cache if it has grown, and frees it. It returns no error if the folder
// cannot be written: that only makes the next start slower.
func (d *Device) closeCache() error {
	c := &d.cache
	if c.handle == vk.NullPipelineCache {
		return nil
	}
	var err error
	if c.path != "" && c.grown {
		var data []byte
		if data, err = d.cacheData(); err == nil && len(data) < cacheMaxBytes/2 {
			_ = writeCache(c.path, data)
		}
	}
	vk.DestroyPipelineCache(d.handle, c.handle, nil)
	c.handle = vk.NullPipelineCache
	return err
}

func (d *Device) cacheData() ([]byte, error) {
	var n uint
	if err := d.check("vkGetPipelineCacheData", vk.GetPipelineCacheData(d.handle, d.cache.handle, &n, nil)); err != nil || n == 0 {
		return nil, err
	}
	data := make([]byte, n)
	err := d.check("vkGetPipelineCacheData", vk.GetPipelineCacheData(d.handle, d.cache.handle, &n, unsafe.Pointer(&data[0])))
	return data[:n], err
}

// writeCache replaces the file in one step, so that another process never reads half of it.
func writeCache(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	return atomicfile.File(path, 0o600, func(f *os.File) error {
		_, err := f.Write(slices.Concat([]byte(cacheMagic), sum[:], data))
		return err
	})
}
