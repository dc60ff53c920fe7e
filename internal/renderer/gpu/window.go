//go:build cgo

package gpu

import (
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// windowing is the host memory of a plan in windows: the data of windows that the device uses or
// that are being filled, and the counts of the whole scene.
type windowing struct {
	free    chan *plan.WindowData
	data    [2]*plan.WindowData // by slot: windows of the parts in flight
	counts  []uint32            // scratch memory for the counts of one window
	fetched [2]*Buffer          // by slot: the host's copy of Counts
	total   []uint32            // the whole scene's counts; nil if nothing needs them
}

// The host fills windows ahead of the device: one per processor, but at most mostAhead, and no more
// than fit gatherBytes together.
const (
	gatherBytes = 512 << 20
	mostAhead   = 8
)

func (w *windowing) make(r *recording) {
	d := r.backend.device
	ahead := max(1, min(cores.Count(), mostAhead, int(gatherBytes/r.plan.WindowBytes)))
	w.free = make(chan *plan.WindowData, ahead+len(w.data))
	for range cap(w.free) {
		w.free <- &plan.WindowData{}
	}
	for i := range w.fetched {
		w.fetched[i] = must.Get(d.NewHostBuffer("counts of the host", r.buffer(plan.Counts).Size, HostReads))
	}
}

func (w *windowing) close() {
	for _, b := range w.fetched {
		b.Close()
	}
}

// run executes the plan's parts. In a plan in windows, the host fills the next window while the device processes
// one; a window's buffers are free once the part that used them is done.
func (r *recording) run(want renderer.Want) {
	if r.lean.parts[0].commands != nil {
		r.runLean()
		return
	}
	if r.windows.free == nil {
		r.runParts()
		return
	}
	r.beginCounts(want)
	r.finished = 0
	ready, stop := r.windows.gather(r)
	defer stop()
	if err := r.runWindows(ready); err != nil {
		must.OK(r.drain(err))
	}
}

// runWindows executes the parts of a plan in windows, in order, each once its data is ready.
func (r *recording) runWindows(ready []chan filled) (err error) {
	defer must.Catch(&err)
	counted, done := 0, 0 // number of parts up to the last submitted one that fetches counts; number of parts that are done
	for i := range r.parts {
		need := i - 1
		if r.parts[i].upload.Counted {
			need = max(need, counted)
		}
		for ; done < need; done++ {
			r.finish(&r.parts[done])
		}
		g := <-ready[i]
		r.windows.data[r.parts[i].upload.Slot] = g.data
		must.OK(g.err)
		r.fill(&r.parts[i])
		must.OK(r.plan.Frame.Scene.Changed()) // the device trusts every index
		must.OK(r.parts[i].commands.Submit(Semaphores{}))
		if r.parts[i].fetch != nil {
			counted = i + 1
		}
	}
	for ; done < len(r.parts); done++ {
		r.finish(&r.parts[done])
	}
	return nil
}

// filled is a window's data, or the error of filling it.
type filled struct {
	data *plan.WindowData
	err  error
}

// gather fills the windows' data in the order of the parts, in advance. stop waits for running
// fills and recycles unused data.
func (w *windowing) gather(r *recording) (ready []chan filled, stop func()) {
	ready = make([]chan filled, len(r.parts))
	for i := range ready {
		ready[i] = make(chan filled, 1)
	}
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for i := range r.parts {
			select {
			case <-quit:
				return
			case data := <-w.free:
				group.Go(func() {
					err := r.plan.Frame.Scene.Guard(func() error {
						data.Fill(r.plan, r.parts[i].upload.Window)
						return nil
					})
					ready[i] <- filled{data, err}
				})
			}
		}
	})
	return ready, func() {
		close(quit)
		group.Wait()
		for i := range ready {
			select {
			case g := <-ready[i]:
				w.free <- g.data
			default:
			}
		}
		for slot := range w.data {
			w.release(slot)
		}
	}
}

// release recycles the data of a slot.
func (w *windowing) release(slot int) {
	if data := w.data[slot]; data != nil {
		w.data[slot] = nil
		w.free <- data
	}
}

// drain waits after an error for everything in flight, including uploads.
func (r *recording) drain(err error) error {
	if u := r.backend.device.upload; u != nil {
		err = u.drain(err)
	}
	for _, p := range r.parts {
		_ = p.commands.Wait(Timeout) // report the first error
	}
	return err
}

// beginCounts makes or clears the scene's counts if they will be read, or takes the counts in Frame.Shown.
func (r *recording) beginCounts(want renderer.Want) {
	w, f := &r.windows, &r.plan.Frame
	last := &r.parts[len(r.parts)-1]
	switch {
	case f.Shown != nil:
		w.total = f.Shown
	case want&renderer.WantCounts == 0 && !last.upload.Counted:
		w.total = nil
	case w.total == nil:
		must.OK(renderer.CheckHost(4*int64(f.Scene.DrawVertices()), "the counts of all draws' vertices"))
		w.total = make([]uint32, f.Scene.DrawVertices())
	default:
		clear(w.total)
	}
}

// takeCounts returns the counts and drops its reference, since they may be large. Counts in
// Frame.Shown belong to the frame, so takeCounts copies them.
func (w *windowing) takeCounts(shown []uint32) []uint32 {
	counts := w.total
	if shown != nil {
		return slices.Clone(counts)
	}
	w.total = nil
	return counts
}

// finish waits for a part, and adds its counts to the scene's if these are wanted.
func (r *recording) finish(p *part) {
	must.OK(p.commands.Wait(Timeout))
	r.finished++
	w := &r.windows
	defer w.release(p.upload.Slot)
	must.OK(r.backend.options.Tell(r.finished, len(r.parts)))
	if p.fetch == nil || w.total == nil {
		return
	}
	host := w.fetched[p.fetch.Slot]
	must.OK(host.Invalidate())
	w.counts = slices.Grow(w.counts[:0], int(host.Size/4))[:host.Size/4]
	copy(asBytes(w.counts), host.mapped)
	w.data[p.fetch.Slot].AddCounts(w.total, w.counts)
}

// fill uploads a part's window; nothing may be using its buffers.
func (r *recording) fill(p *part) {
	w, d := &r.windows, r.backend.device
	data := w.data[p.upload.Slot]
	var counts []uint32 // nil if the device fills Counts with zeros
	if p.upload.Counted {
		w.counts = data.Counts(w.total, w.counts[:0])
		counts = w.counts
	}
	for _, u := range p.uploads.Uses {
		bytes := hostData(&r.plan.Frame, u.Block, data.Scene, data.Marks, asBytes(data.Batches), counts)
		must.OK(d.beginUpload(r.buffers[u.Buffer], 0, bytes))
	}
}
