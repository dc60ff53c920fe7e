package format

import (
	"io"
	"os"

	"github.com/shadeonce/shadeonce/geometry"
)

// mapLeast is the size from which on an uncompressed file is mapped. Smaller files are read,
// which costs little memory.
const mapLeast = 64 << 20

// mapping is a mapped file, and how far it has been read.
type mapping struct {
	data []byte
	at   int
	file *os.File    // our own handle
	was  os.FileInfo // its state when it was mapped
}

// mapped maps the file if that is possible, and makes Reader read from the mapping. Call it
// before any byte is read.
func (in *Input) mapped() {
	if in.file == nil || in.Size < in.mapLeast || int64(int(in.Size)) != in.Size {
		return
	}
	was, err := in.file.Stat()
	if err != nil {
		return
	}
	if data, file, err := mapFile(in.file, in.Size); err == nil {
		in.mapping = &mapping{data: data, file: file, was: was}
		in.Reader = in.mapping
	}
}

// unmap unmaps the file, unless the scene's pools lie in it.
func (in *Input) unmap(scene *geometry.Scene) {
	if in.mapping != nil && (scene == nil || scene.Backing == nil) {
		in.mapping.free()
	}
}

func (m *mapping) free() {
	unmapFile(m.data)
	m.file.Close()
}

// changed reports whether the file was written to or cut short since it was mapped.
func (m *mapping) changed() bool {
	is, err := m.file.Stat()
	return err == nil && (is.Size() != m.was.Size() || !is.ModTime().Equal(m.was.ModTime()))
}

// backing transfers ownership of the mapping to a scene.
func (m *mapping) backing() *geometry.Backing {
	return geometry.NewBacking(m.free, m.changed)
}

func (m *mapping) Read(p []byte) (int, error) {
	if m.at == len(m.data) && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, m.data[m.at:])
	m.at += n
	return n, nil
}

// take returns the next n bytes. Those of a mapped file are not copied, and must not be written
// to.
func (in *Input) take(n int64) ([]byte, error) {
	m := in.mapping
	if m == nil {
		return gltfReadBytes(in, n, in.Size)
	}
	if n > int64(len(m.data)-m.at) {
		return nil, io.ErrUnexpectedEOF
	}
	m.at += int(n)
	return m.data[m.at-int(n) : m.at : m.at], nil
}
