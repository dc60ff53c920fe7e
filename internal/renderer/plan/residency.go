package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// residency says how much of the scene the device holds at a time.
type residency interface {
	String() string
	cut(p *planner) error              // cuts the stream into chunks
	draws(p *planner) int              // entries of the draw table
	pairs(p *planner) int              // number of (draw, vertex) pairs in Counts
	twice(p *planner) []Block          // blocks that have two copies
	begin(p *planner)                  // lists the passes before all others
	enter(p *planner, t target) target // begins a target's window in the free copy of its buffers
	leave(p *planner, t target)        // ends the window
	chunks(p *Plan, window int) [2]int // range of a window's chunks
	keeps() bool                       // whether buffers keep their contents until the next frame
}

// whole holds all of the scene.
type whole struct{}

func (whole) String() string       { return "whole" }
func (whole) draws(p *planner) int { return len(p.Frame.Scene.Draws) }

func (whole) pairs(p *planner) int {
	if p.Frame.Shown != nil {
		return len(p.Frame.Shown)
	}
	return p.Frame.Scene.DrawVertices()
}

func (whole) twice(*planner) []Block { return nil }

func (whole) begin(p *planner) {
	if p.Fills(Clips) {
		p.then(p.clips(target{}))
	}
}

func (whole) enter(_ *planner, t target) target { return t }
func (whole) leave(*planner, target)            {}
func (whole) chunks(p *Plan, _ int) [2]int      { return [2]int{0, len(p.Chunks)} }
func (whole) keeps() bool                       { return true }

// Windowed reports whether the stream is processed in windows.
func (p *Plan) Windowed() bool { return len(p.Windows) > 0 }

// ByWindow reports whether a block that the host fills holds the contents of a window, and changes with each upload.
func (p *Plan) ByWindow(b Block) bool { return p.Windowed() && p.Find(b, 1) != NoBuffer }

// windows is for a scene that the device cannot hold, or may not (Frame.DeviceBudget): the stream
// is processed in windows. There are two copies of the buffers that hold a window: one is
// filled while the device uses the other.
type windows struct{}

func (windows) String() string       { return "windows" }
func (windows) draws(p *planner) int { return p.windowMost.draws }
func (windows) pairs(p *planner) int { return p.windowMost.pairs }

func (windows) twice(p *planner) []Block {
	switch {
	case p.Gathered && p.Frame.Scene.Textures != nil:
		return slices.Concat(poolBuffers, windowBuffers, []Block{TexCoords})
	case p.Gathered:
		return slices.Concat(poolBuffers, windowBuffers)
	}
	return windowBuffers
}

func (windows) begin(*planner) {}

func (w windows) enter(p *planner, t target) target {
	t.slot = p.uploads % 2
	p.uploads++
	counted := !t.ahead && (p.countsAhead() || p.Frame.Shown != nil)
	p.then(step{{
		Name: "upload", Chunk: NoChunk, Uses: p.uses(t, nil, touched{writes: w.twice(p)}),
		Op: &Upload{Window: t.window, Slot: t.slot, Counted: counted},
	}}, p.clips(t))
	return t
}

func (windows) leave(p *planner, t target) {
	if p.counting(t) {
		p.then(step{{
			Name: "counts:fetch", Chunk: NoChunk, Uses: p.uses(t, nil, touched{reads: []Block{Counts}}), Op: &Fetch{Window: t.window, Slot: t.slot},
		}})
	}
}

func (windows) chunks(p *Plan, window int) [2]int {
	return [2]int{p.Windows[window].FirstChunk, p.Windows[window].EndChunk}
}

func (windows) keeps() bool { return false }

// Holds says how much of the scene the device holds.
func (p *Plan) Holds() string {
	what := "the scene's draws in "
	if !p.Windowed() {
		return "the whole scene on the device"
	}
	if p.Gathered {
		what = "the scene in "
	}
	return what + names.Count(len(p.Windows), "window")
}

// windowsText describes windows in a printed plan.
func (p *Plan) windowsText() string {
	if !p.Windowed() {
		return ""
	}
	return ", " + names.Count(len(p.Windows), "window")
}

// Window is the part of the stream whose data the device holds at a time.
type Window struct {
	Pieces        []Piece
	FirstTriangle int // position in the stream
	FirstBatch    int // number in the stream

	FirstChunk, EndChunk int // range of Plan.Chunks
}

// Piece is the part of a draw in a window.
type Piece struct {
	Draw         int
	First, Count uint32 // of the draw's indices
}

// windowUse is how many elements of each buffer a window or a piece needs, or the most that any window needs.
type windowUse struct{ vertices, indices, draws, batches, pairs, texCoords int }

// windowBuffers are the buffers that hold a window if the device has room for the pools. Otherwise
// poolBuffers, and TexCoords in scenes with textures, hold a window too.
var (
	poolBuffers   = []Block{Positions, Normals, Indices}
	windowBuffers = []Block{Draws, Batches, Clips, Counts}
)

const (
	// mostWindowBytes is large enough to make the set-up time of a window negligible.
	mostWindowBytes  = 256 << 20
	leastWindowBytes = 64 << 10
	stagingBytes     = 32 << 20 // buffers through which backends copy to and from the device
	pictureBytes     = 8 + 8 + 8
)

func (u windowUse) plus(v windowUse) windowUse {
	return windowUse{u.vertices + v.vertices, u.indices + v.indices, u.draws + v.draws, u.batches + v.batches, u.pairs + v.pairs, u.texCoords + v.texCoords}
}

func (u windowUse) most(v windowUse) windowUse {
	return windowUse{max(u.vertices, v.vertices), max(u.indices, v.indices), max(u.draws, v.draws), max(u.batches, v.batches), max(u.pairs, v.pairs), max(u.texCoords, v.texCoords)}
}

// sizes returns the bytes of each buffer.
func (u windowUse) sizes() [8]int64 {
	return [...]int64{
		12 * int64(u.vertices), 12 * int64(u.vertices), 4 * int64(u.indices), int64(u.draws) * shaders.DrawSize, 64 * int64(u.draws),
		int64(u.batches) * shaders.BatchSize, 4 * int64(u.pairs), texCoordBytes * int64(u.texCoords),
	}
}

// fetched returns the size of the buffer through which the host reads the counts.
func (u windowUse) fetched() int64 { return 4 * int64(u.pairs) }

// bytes is the total size of all buffers.
func (u windowUse) bytes() (total int64) {
	for _, n := range u.sizes() {
		total += n
	}
	return total
}

func (u windowUse) fits(slot, buffer int64) bool {
	sizes := u.sizes()
	return slices.Max(sizes[:]) <= buffer && u.bytes()+u.fetched() <= slot
}

// windowRoom bounds the queue budget by a sixth of the device memory, and returns the memory that a window may take; it fails
// if that is too little. Pools that stay on the device are subtracted. Small buffers are not counted: if they do not fit, the
// frame is planned again with a reserve.
func (p *planner) windowRoom() int64 {
	f, l := &p.Frame, &p.limits
	have := int64(math.MaxInt64 / 4)
	if l.DeviceBytes > 0 {
		have = l.DeviceBytes
	}
	if f.DeviceBudget > 0 {
		have = min(have, f.DeviceBudget)
	}
	f.QueueBudget = min(f.QueueBudget, have/6)
	narrowed := f.QueueBudget == have/6
	fixed := f.QueueBudget + stagingBytes + p.reserve
	lists := int64(flag(p.plugs.raster.about().draws)) // 1 if a rasterizer runs: its lists may take three quarters of the queues' bytes
	fixed += lists * (3*f.QueueBudget/4 + int64(f.Width)*int64(f.Height)*pictureBytes)
	if !p.Gathered {
		pools := windowUse{vertices: len(f.Scene.Positions), indices: len(f.Scene.Indices)}
		if !pools.fits(have, l.MaxBufferBytes) {
			must.Fail("the device cannot hold the pools")
		}
		fixed += f.Scene.Bytes()
	}
	slot := min((have-fixed)/2, mostWindowBytes)
	if slot < leastWindowBytes {
		must.OK(&roomError{have, leastMemory(f.QueueBudget, fixed, lists, narrowed)})
	}
	return slot
}

// roomError says that device memory is too small for windows, and about how much would do.
type roomError struct{ have, need int64 }

func (e *roomError) Error() string {
	return fmt.Sprintf("device memory of %s is too small: queues, staging, picture and two windows need about %s", bytesize.Text(e.have), bytesize.Text(e.need))
}

// leastMemory estimates the device memory that a frame needs in windows. `fixed` includes the queues and, if `lists`
// is 1, the rasterizer's lists at three quarters of the queues' size. If `narrowed` is set, the queues were limited
// to a sixth of the memory, and grow with it.
func leastMemory(queues, fixed, lists int64, narrowed bool) int64 {
	need := fixed + 2*leastWindowBytes
	if !narrowed {
		return need
	}
	return (need - queues - 3*queues/4*lists) * 24 / (20 - 3*lists)
}

// cut cuts the stream into windows, and these into chunks.
func (windows) cut(p *planner) (err error) {
	defer must.Catch(&err)
	if p.listWindows() != nil {
		p.Gathered = true
		must.OK(p.listWindows())
	}
	p.VertexShare = p.plugs.sink.share(p)
	return p.cutHalves(p.plugs.sink.about().turns, p.chunkWindows)
}

func (p *planner) chunkWindows() error {
	batch := 0
	for i := range p.Windows {
		w := &p.Windows[i]
		p.Batches = p.windowBatches(w)
		p.sumWorst()
		w.FirstBatch, w.FirstChunk = batch, len(p.Chunks)
		if err := p.plugs.sink.cut(p); err != nil {
			return err
		}
		w.EndChunk = len(p.Chunks)
		batch += len(p.Batches)
	}
	p.Batches, p.worst, p.BatchCount = nil, nil, batch
	p.WindowBytes, p.FetchBytes = max(1, p.windowMost.bytes()), 2*p.windowMost.fetched()
	return nil
}

// listWindows fills windows with pieces of draws; each piece begins and ends at the boundary of a
// batch.
func (p *planner) listWindows() (err error) {
	defer must.Catch(&err)
	slot := p.windowRoom()
	s := p.Frame.Scene
	p.Windows, p.windowMost = []Window{{}}, windowUse{}
	triangle, used := 0, windowUse{} // position in the stream; what the window's pieces use so far
	for i := range s.Draws {
		for first := uint32(0); first < s.Draws[i].IndexCount; {
			w := &p.Windows[len(p.Windows)-1]
			piece, use := p.piece(i, first, triangle, used, slot, p.limits.MaxBufferBytes)
			if piece.Count == 0 {
				if len(w.Pieces) == 0 {
					return fmt.Errorf("device memory is too small: one batch of draw %d (%q) does not fit the %s of a window", i, s.Draws[i].Name, bytesize.Text(slot))
				}
				p.Windows, used = append(p.Windows, Window{FirstTriangle: triangle}), windowUse{}
				continue
			}
			w.Pieces = append(w.Pieces, piece)
			used = used.plus(use)
			p.windowMost = p.windowMost.most(used)
			first += piece.Count
			triangle += int(piece.Count) / 3
		}
	}
	return nil
}

// piece returns the longest piece of a draw, from index `first` on, that fits a window together with the
// window's other pieces; its Count is 0 if no batch fits. `triangle` is the stream position of index
// `first`, `slot` the most bytes of a window, and `buffer` the most of one of its buffers.
func (p *planner) piece(draw int, first uint32, triangle int, beside windowUse, slot, buffer int64) (Piece, windowUse) {
	d, c := &p.Frame.Scene.Draws[draw], &p.Frame.Reuse
	rest := d.IndexCount - first
	unit := uint32(c.Batch)
	if c.Batching == reuse.DynamicBatching {
		unit = 3 // cut below
	}
	units := sort.Search(int((rest+unit-1)/unit), func(n int) bool {
		return !beside.plus(p.pieceUse(d, min(uint32(n+1)*unit, rest))).fits(slot, buffer)
	})
	piece := Piece{draw, first, min(uint32(units)*unit, rest)}
	if c.Batching == reuse.DynamicBatching && piece.Count < rest {
		fitting := piece.Count
		_, next := reuse.BatchesOf(p.Frame.Scene, *c, triangle, int(fitting)/3)
		piece.Count = 3 * uint32(next-triangle)
		if piece.Count > fitting { // the first batch does not fit
			piece.Count = 0
		}
	}
	return piece, p.pieceUse(d, piece.Count)
}

// pieceUse returns what n indices of a draw add to a window.
func (p *planner) pieceUse(d *geometry.Draw, n uint32) windowUse {
	c := &p.Frame.Reuse
	least := uint32(c.Batch) // fewest indices of a batch, except for the last
	if c.Batching == reuse.DynamicBatching {
		least = max(3, uint32(min(c.Unique, c.Batch))/3*3)
	}
	u := windowUse{draws: 1, batches: int((n + least - 1) / least), pairs: int(d.VertexCount)}
	if p.Gathered {
		u.indices, u.vertices = int(n), min(int(n), int(d.VertexCount))
		u.pairs = u.vertices
		if t := p.Frame.Scene.Textures; t != nil {
			u.texCoords = u.vertices * len(t.Sets)
		}
	}
	return u
}

// pieceScene returns a scene of a window's pieces of draws, with the whole pools.
func (p *Plan) pieceScene(w *Window) *geometry.Scene {
	s := p.Frame.Scene
	out := &geometry.Scene{Name: s.Name, Positions: s.Positions, Normals: s.Normals, Indices: s.Indices, Draws: make([]geometry.Draw, len(w.Pieces)), Attributes: s.Attributes, Textures: s.Textures}
	for i, piece := range w.Pieces {
		d := s.Draws[piece.Draw]
		d.FirstIndex, d.IndexCount = d.FirstIndex+piece.First, piece.Count
		out.Draws[i] = d
	}
	return out
}

// windowBatches returns the batches of a window. Their indices refer to the whole index pool, their
// draw is the number of a piece, and their positions are those in the whole stream.
func (p *Plan) windowBatches(w *Window) []reuse.Batch {
	batches := reuse.Batches(p.pieceScene(w), p.Frame.Reuse)
	for i := range batches {
		batches[i].FirstTriangle += uint32(w.FirstTriangle)
	}
	return batches
}

// batchNumber returns the number, in the whole stream, of the first batch of a chunk's window; 0 without windows.
func (p *Plan) batchNumber(chunk int) uint32 {
	w := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].EndChunk > chunk })
	if w == len(p.Windows) {
		return 0
	}
	return uint32(p.Windows[w].FirstBatch)
}

// sample returns a scene with the ids that shaders will see: the frame's, or the first window's if windows have pools.
func (p *planner) sample() *geometry.Scene {
	if !p.Gathered {
		return p.Frame.Scene
	}
	var d WindowData
	d.Fill(p.Plan, 0)
	return d.Scene
}
