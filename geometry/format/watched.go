package format

import (
	"context"
	"io"
	"os"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// watchedBytes bounds how much is read at a time, so that a slow disk does not delay
// the end of a read that is given up.
const watchedBytes = 1 << 20

// watched reads a file until a context ends; the error is then its cause.
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

// metered reports how much has been read as progress.
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
