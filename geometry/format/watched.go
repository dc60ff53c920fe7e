package format

import (
	"context"
	"io"
	"os"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// watchedBytes is how much is read at a time at most, so that slow disks are not
// waited for when nobody wants the file any more.
const watchedBytes = 1 << 20

// watched reads a file until a context ends, whose cause is then the error.
type watched struct {
	*os.File
	ctx context.Context
}

func (w watched) Read(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.File.Read(p[:min(len(p), watchedBytes)])
}

func (w watched) ReadAt(p []byte, at int64) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.File.ReadAt(p, at)
}

// metered tells how much of what it reads has been read.
type metered struct {
	io.Reader
	meter progress.Meter
	at    int
	size  int64
}

func newMetered(ctx context.Context, r io.Reader, size int64) *metered {
	return &metered{Reader: r, meter: progress.NewMeter(ctx, int(size)), size: size}
}

func (m *metered) Read(p []byte) (int, error) {
	if err := m.meter.At(m.at); err != nil {
		return 0, err
	}
	n, err := m.Reader.Read(p)
	m.at += n
	return n, err
}
