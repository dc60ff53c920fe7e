package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Save writes a scene in the format of path's extension. It replaces the file only once the new
// one is complete. If the context ends first, the error wraps its cause.
func Save(ctx context.Context, path string, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	must.OK(CanSave(path))
	writer := must.Get(pickWriter(path))
	if err := scene.Validate(ctx); err != nil {
		return &Error{File: path, Cause: "cannot write: " + err.Error(), Err: err}
	}
	return SaveAs(ctx, path, func(w io.Writer) error {
		return scene.Guard(func() error { return writer.Write(w, lookFrom(ownNormals(scene), path)) })
	})
}

// ownNormals returns the scene without normals if the file had none: programs that read the saved file
// make their own, and normals of MakeNormals break at texture seams. Captured frames keep their normals.
func ownNormals(s *geometry.Scene) *geometry.Scene {
	if !s.NormalsMade || s.Capture != nil {
		return s
	}
	own := *s
	own.Normals, own.NormalsMade = nil, false
	return &own
}

// SaveAs replaces a file with the output of `write`, once that is complete.
func SaveAs(ctx context.Context, path string, write func(io.Writer) error) error {
	target := path
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		target = linked // renaming onto a symbolic link would replace the link
	}
	if err := atomicfile.File(target, 0, func(f *os.File) error {
		if err := writePacked(path, untilDone{ctx, f}, write); err != nil {
			return err
		}
		return context.Cause(ctx)
	}); err != nil {
		return &Error{File: path, Cause: "cannot write: " + atomicfile.Cause(err).Error(), Err: err}
	}
	return nil
}

// CanSave returns an error if Save could not write to path. It does not need the scene.
func CanSave(path string) error {
	if _, err := pickWriter(path); err != nil {
		return err
	}
	info, err := atomicfile.Stat(path)
	if err == nil && info != nil {
		err = atomicfile.Failed(path, regular(info))
	}
	if err != nil {
		return &Error{File: path, Cause: strings.TrimPrefix(err.Error(), path+": "), Err: err}
	}
	return nil
}

func pickWriter(path string) (*Writer, error) {
	ext, known := Extension(path), ""
	for _, w := range Writers() {
		if slices.Contains(w.Extensions, ext) {
			return &w, nil
		}
		known += " " + strings.Join(w.Extensions, " ")
	}
	return nil, &Error{File: path, Cause: "is not of a format that can be saved:" + known + " (also as .gz or .zst)"}
}

// untilDone writes until a context ends.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(data []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(data)
}

// lookReader collects a file's materials, for formats whose v points up.
type lookReader struct {
	*geometry.Look
	images *TextureReader
	files  map[string][]byte // contents of images, by name; nil for an image that cannot be read
}

func newLookReader(in *Input) *lookReader {
	return &lookReader{&geometry.Look{UpV: true}, NewTextureReader(in), map[string][]byte{}}
}

// beside returns the path of a file that the file being read refers to by name.
func (l *lookReader) beside(name string) string {
	return filepath.Join(filepath.Dir(l.images.in.Path), filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
}

// add adds a surface and returns 1 + its index. `image` is the name of its image file, or "" for
// none.
func (l *lookReader) add(name, image string) uint32 {
	to := geometry.Surface{Name: name}
	if image != "" {
		data, known := l.files[image]
		if !known {
			l.images.try(CleanName(image), func() {
				if data = l.images.sibling(image); imageType(data) == "" {
					data = nil
					must.Fail("is neither a PNG nor a JPEG image")
				}
			})
			l.files[image], l.Missing = data, l.images.Notes
		}
		to.File, to.Image = l.beside(image), data
	}
	must.OK(l.images.in.Charge(64 + int64(len(name)+len(to.File))))
	l.Surfaces = append(l.Surfaces, to)
	return uint32(len(l.Surfaces))
}

// imageType returns the media type of a PNG or JPEG image, or "".
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return ""
}

// lookFrom returns the scene with a Look whose paths are relative to path's folder.
func lookFrom(s *geometry.Scene, path string) *geometry.Scene {
	if s.Look == nil {
		return s
	}
	from := func(to string) string {
		folder, err := filepath.Abs(filepath.Dir(path))
		target, failed := filepath.Abs(to)
		if err == nil && failed == nil && to != "" {
			if short, err := filepath.Rel(folder, target); err == nil {
				to = short
			}
		}
		return filepath.ToSlash(to)
	}
	copied, look := *s, *s.Look
	look.Libraries, look.Surfaces = nil, nil
	for _, l := range s.Look.Libraries {
		look.Libraries = append(look.Libraries, from(l))
	}
	for _, x := range s.Look.Surfaces {
		x.File = from(x.File)
		look.Surfaces = append(look.Surfaces, x)
	}
	copied.Look = &look
	return &copied
}

// Lacks lists the contents of a scene that a file with path's extension cannot hold, and the files
// outside of path's folder that the written file would refer to.
func Lacks(path string, s *geometry.Scene) (lost, outside []string) {
	w, err := pickWriter(path)
	if err != nil || w.lacks == nil {
		return nil, nil
	}
	seen := lookFrom(s, path)
	if s.Look != nil && w.refers != nil {
		files := w.refers(s.Look)
		for i, name := range w.refers(seen.Look) {
			if _, err := os.Stat(files[i]); err == nil && !filepath.IsLocal(name) { // a file may be named and not exist
				outside = append(outside, name)
			}
		}
	}
	return w.lacks(seen), outside
}

// attributeNamed returns an attribute of the vertices, or nil.
func attributeNamed(s *geometry.Scene, name string) *geometry.Attribute {
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.Name == name && !a.PerDraw {
			return a
		}
	}
	return nil
}

// attributeNumbers returns attributeValues with 0 in place of numbers that are not finite.
func attributeNumbers(a *geometry.Attribute, i int) mgl32.Vec4 {
	v := attributeValues(a, i)
	for k := range v {
		if !exact.Finite(v[k]) {
			v[k] = 0
		}
	}
	return v
}

// attributeValues returns the numbers of element i as a shader reads them, as floats.
func attributeValues(a *geometry.Attribute, i int) (v mgl32.Vec4) {
	for k, bits := range a.Format.Decode(a.Element(i)) {
		switch a.Format.Class() {
		case vertexformat.Uint:
			v[k] = float32(bits)
		case vertexformat.Sint:
			v[k] = float32(int32(bits))
		default:
			v[k] = math.Float32frombits(bits)
		}
	}
	return v
}

// appendFloats appends numbers in little endian.
func appendFloats(to []byte, numbers ...float32) []byte {
	for _, f := range numbers {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(f))
	}
	return to
}

// lineName returns a name or a path without characters that would end its line of text.
func lineName(name string) string {
	return strings.TrimRight(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '_'
		}
		return c
	}, name), `\`)
}

func glbLacks(s *geometry.Scene) (lost []string) {
	if s.Look == nil {
		return nil
	}
	if len(s.Look.Libraries) > 0 {
		lost = append(lost, "materials but for names, colours and map_Kd without its options")
	}
	return append(lost, s.Look.Missing...)
}

// glbImages lists the images to write, and their numbers by file.
func glbImages(s *geometry.Scene) (number map[string]int, images [][]byte) {
	if s.Look == nil || attributeNamed(s, "TEXCOORD_0") == nil {
		return nil, nil
	}
	number = map[string]int{}
	for i := range s.Look.Surfaces {
		x := &s.Look.Surfaces[i]
		if _, known := number[x.File]; !known && imageType(x.Image) != "" {
			number[x.File] = len(images)
			images = append(images, x.Image)
		}
	}
	return number, images
}

// glbPadded returns how many bytes an image takes in a GLB: a multiple of 4.
func glbPadded(data []byte) int64 { return int64(len(data)+3) &^ 3 }

// isUnit reports whether a squared length is 1 within single precision.
func isUnit(square float64) bool { return math.Abs(square-1) < 1e-6 }

func squareLength(n mgl32.Vec3) float64 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	return x*x + y*y + z*z
}

// areUnit reports whether unitNormals would change nothing.
func areUnit(ctx context.Context, normals []mgl32.Vec3) (bool, error) {
	first, err := geometry.FirstBad(ctx, len(normals), 1<<18, func(from, to int) int {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) {
				return from + i
			}
		}
		return -1
	})
	return first < 0, err
}

// unitNormals scales a file's normals to length 1, but does not change those whose length is 1 as
// far as single precision can tell. Those without a direction become +Z, as in Scene.MakeNormals.
func unitNormals(ctx context.Context, normals []mgl32.Vec3) error {
	return progress.Each(ctx, len(normals), func(from, to int) {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) { // leave unit vectors untouched
				normals[from+i] = unitNormal(n)
			}
		}
	})
}

func unitNormal(n mgl32.Vec3) mgl32.Vec3 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	square := squareLength(n)
	switch {
	case isUnit(square):
		return n
	case square > 1e-60 && square < 1e78:
		inv := 1 / math.Sqrt(square)
		return mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
	default:
		return mgl32.Vec3{0, 0, 1}
	}
}

// bakedDraw is a draw in world space, for writers of formats without transforms.
type bakedDraw struct {
	positions, normals []mgl32.Vec3 // normals are empty if the scene has none
	identity           bool
	transform          mgl32.Mat4
	normalTransform    mgl32.Mat3
}

func bake(s *geometry.Scene, i int) bakedDraw {
	d := &s.Draws[i]
	end := d.VertexOffset + d.VertexCount
	b := bakedDraw{positions: s.Positions[d.VertexOffset:end], identity: d.Transform == mgl32.Ident4(), transform: d.Transform}
	if len(s.Normals) > 0 {
		b.normals = s.Normals[d.VertexOffset:end]
	}
	m := d.Transform.Mat3()
	if b.normalTransform = cofactors(m); m.Det() < 0 {
		b.normalTransform = b.normalTransform.Mul(-1)
	}
	return b
}

// cofactors returns the matrix of cofactors: the inverse transpose times the determinant. It turns normals as the
// inverse transpose does, and exists even if the inverse does not.
func cofactors(m mgl32.Mat3) mgl32.Mat3 {
	x, y, z := m.Col(0), m.Col(1), m.Col(2)
	return mgl32.Mat3FromCols(y.Cross(z), z.Cross(x), x.Cross(y))
}

func (b *bakedDraw) position(i int) mgl32.Vec3 {
	if b.identity {
		return b.positions[i]
	}
	return b.transform.Mul4x1(b.positions[i].Vec4(1)).Vec3()
}

func (b *bakedDraw) normal(i int) mgl32.Vec3 {
	if b.identity {
		return b.normals[i]
	}
	return unitNormal(b.normalTransform.Mul3x1(b.normals[i]))
}
