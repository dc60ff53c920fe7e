//go:build cgo

package gpu

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/adrg/xdg"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
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
	path   string // empty if the cache is not kept in a file
	grown  bool   // whether a pipeline was made since the device was opened
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

// key identifies the device and its driver in words. A CPU's key includes its cores, since its speed depends on them.
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

// readCache returns the driver's data; nil if the file is missing, damaged or another device's.
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

// closeCache writes the cache to its file if it has grown and is not too large, and frees it. A file
// that cannot be written is no error: that only makes the next start slower.
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

// Drivers do not report how much memory a pipeline takes. Mesa's CPU driver takes about
// spirvFactor bytes per byte of SPIR-V, 1.4 MiB for an average pipeline of a plan; other drivers
// take less.
const spirvFactor = 36

// defaultPipelineBytes is space for about 64 pipelines, several times what a plan needs. A session
// can go through thousands of settings, and some strategies are compiled for the scene, so without
// a bound the memory of pipelines would keep growing.
const defaultPipelineBytes = 90 << 20

// pipelines caches the pipelines of all plans on a device, whichever backend runs them.
type pipelines struct {
	kept map[string]*keptPipeline
	most int64 // bound on their estimated memory
	uses int64 // number of uses so far
}

// keptPipeline is a pipeline and the value of pipelines.uses at its last use.
type keptPipeline struct {
	*Pipeline
	use int64
}

// estimateBytes estimates the memory of a pipeline of these shaders.
func estimateBytes(list ...*shaders.Shader) (n int64) {
	for _, s := range list {
		n += spirvFactor * int64(len(s.SPIRV))
	}
	return n
}

// evict frees the least recently used pipelines until the rest fit the bound. Pipelines with a
// descriptor set are never freed, since a kept plan or a Recorder uses them, but they count.
func (x *pipelines) evict() {
	held := x.bytes()
	if held <= x.most {
		return
	}
	keys := slices.Collect(maps.Keys(x.kept))
	keys = slices.DeleteFunc(keys, func(key string) bool { return x.kept[key].sets > 0 })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(x.kept[a].use, x.kept[b].use) })
	for _, key := range keys {
		if held <= x.most {
			return
		}
		held -= x.kept[key].bytes
		x.kept[key].Close()
		delete(x.kept, key)
	}
}

// bytes estimates the memory of all pipelines.
func (x *pipelines) bytes() (n int64) {
	for _, p := range x.kept {
		n += p.bytes
	}
	return n
}

func (x *pipelines) close() {
	for _, p := range x.kept {
		p.Close()
	}
	x.kept = nil
}

// pipeline returns the compiled pipeline of a pass.
func (b *Backend) pipeline(p *plan.Plan, pass *plan.Pass) *Pipeline {
	x := &b.device.pipelines
	found := x.kept[pipelineKey(p, pass)]
	x.uses++
	found.use = x.uses
	return found.Pipeline
}

// passesOf are some or all passes of a plan.
type passesOf struct {
	plan   *plan.Plan
	passes []plan.Pass
}

// compilePlans compiles the pipelines of plans that will be executed.
func (b *Backend) compilePlans(list []*plan.Plan) (err error) {
	defer must.Catch(&err)
	all := make([]passesOf, len(list))
	for i, p := range list {
		all[i] = passesOf{p, p.Passes}
	}
	b.compile(all...)
	return nil
}

// compile compiles the missing pipelines of passes, as many at once as there are cores: drivers
// take seconds for a large vertex shader.
func (b *Backend) compile(list ...passesOf) {
	x := &b.device.pipelines
	var missing []passesOf // of one pass each
	var keys []string
	for _, of := range list {
		for i := range of.passes {
			if of.passes[i].Pipeline() == nil {
				continue
			}
			if key := pipelineKey(of.plan, &of.passes[i]); x.kept[key] == nil && !slices.Contains(keys, key) {
				missing, keys = append(missing, passesOf{of.plan, of.passes[i : i+1]}), append(keys, key)
			}
		}
	}
	for len(missing) > 0 {
		must.OK(b.options.Tell(0, 1))
		n := min(len(missing), cores.Count())
		list := make([]uncompiled, 0, n)
		for _, one := range missing[:n] {
			laid, err := b.layPipeline(one.plan, &one.passes[0])
			if err != nil {
				for _, u := range list {
					u.Close()
				}
				must.OK(err)
			}
			list = append(list, laid)
		}
		must.OK(b.device.compileAll(list...))
		for i, u := range list {
			x.kept[keys[i]] = &keptPipeline{u.Pipeline, x.uses}
		}
		missing, keys = missing[n:], keys[n:]
	}
}
