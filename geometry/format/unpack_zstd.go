//go:build !js

package format

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdWindow bounds the decoder's memory: the default limit of the zstd command.
const zstdWindow = 128 << 20

var zstdPackings = []packing{
	{".zst", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.ReadCloser, error) {
		// With one thread the decoder runs in the caller's goroutine, where Input.read recovers from panics.
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(zstdWindow), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }},
}
