package renderdoc

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/flate"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// blobs are the entries of the zip file, by number.
type blobs struct {
	ctx     context.Context
	name    string
	entries map[int]*zip.File
	buf     []byte
	deflate io.ReadCloser // reused, since one entry is read at a time
	budget  *budget.Budget
	counted int64 // bytes that have yet to count for the budget when they are unpacked
}

// mostDeflated exceeds the number of bytes to which one byte of deflate can unpack.
const mostDeflated = 1040

// entryBytes is the memory of an entry of the zip file's directory.
const entryBytes = 512

func openBlobs(ctx context.Context, in Input) (*blobs, error) {
	z, err := zip.NewReader(in.Zip, in.ZipSize)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, failf("", "%s is not a zip file, or ends early", in.ZipName)
		}
		return nil, &format.Error{Cause: fmt.Sprintf("%s: %v", in.ZipName, err), Err: err}
	}
	if err := in.Budget.Memory(entryBytes * int64(len(z.File))); err != nil {
		return nil, err
	}
	b := &blobs{
		ctx: ctx, name: in.ZipName, entries: make(map[int]*zip.File, len(z.File)),
		budget: in.Budget, counted: (budget.PackedFactor - 1) * in.ZipSize,
	}
	z.RegisterDecompressor(zip.Deflate, b.inflate)
	for _, f := range z.File {
		if len(f.Name) < 6 {
			continue // such as thumb.png
		}
		if n, err := strconv.ParseUint(f.Name, 10, 31); err == nil {
			b.entries[int(n)] = f
		}
	}
	return b, nil
}

// inflate uses an implementation that is faster than the standard library's.
func (b *blobs) inflate(r io.Reader) io.ReadCloser {
	if again, ok := b.deflate.(flate.Resetter); ok {
		if again.Reset(r, nil) == nil {
			return b.deflate
		}
	}
	b.deflate = flate.NewReader(r)
	return b.deflate
}

// unpackSteps is the work of unpacking a byte.
const unpackSteps = 4

// stream passes the bytes of a blob to do, in pieces and in order, up to byte end; at is where a
// piece begins. found is false if the zip has no such entry.
func (b *blobs) stream(what blob, end int64, do func(at int64, piece []byte)) (found bool) {
	f := b.entries[what.entry]
	if f == nil {
		return false
	}
	place := fmt.Sprintf("%s: entry %06d", b.name, what.entry)
	if f.UncompressedSize64 != uint64(what.length) {
		refuse(place, "has %d bytes, and the XML says %d", f.UncompressedSize64, what.length)
	}
	if f.UncompressedSize64 > mostDeflated*(f.CompressedSize64+1) {
		refuse(place, "%d bytes cannot unpack to %d", f.CompressedSize64, f.UncompressedSize64)
	}
	end = min(end, what.length)
	must.OK(b.budget.Work(budget.Entry + unpackSteps*end))
	counted := min(end, b.counted)
	b.counted -= counted
	b.budget.Beside(counted)
	unpacked := func(err error) {
		if err != nil {
			must.OK(&format.Error{Place: place, Cause: "cannot be unpacked: " + err.Error(), Err: err})
		}
	}
	r, err := f.Open()
	unpacked(err)
	defer r.Close()
	if n := min(end, 256<<10); int64(len(b.buf)) < n {
		b.buf = make([]byte, n)
	}
	for at := int64(0); at < end; {
		must.OK(context.Cause(b.ctx))
		n, err := io.ReadFull(r, b.buf[:min(int64(len(b.buf)), end-at)])
		unpacked(err)
		do(at, b.buf[:n])
		at += int64(n)
	}
	if end == what.length && end > 0 { // reading to the end compares the checksum
		if _, err := r.Read(b.buf[:1]); err != io.EOF {
			unpacked(err)
		}
	}
	return true
}
