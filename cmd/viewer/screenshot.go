package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
)

// pictureName is a screenshot's name without its number and ".png": made from
// the model and the settings, in characters that every file system takes.
func pictureName(f *renderer.Frame, indexOrder string) string {
	model := filepath.Base(f.Scene.Name)
	for ext := filepath.Ext(model); ext != "" && ext != model; ext = filepath.Ext(model) {
		model = strings.TrimSuffix(model, ext)
	}
	model = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, model)
	model = model[:min(len(model), 80)]
	if strings.Trim(model, "_") == "" {
		model = "scene"
	}
	strategy := f.Reuse.Strategy.Name
	if f.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf("-%dlanes", f.Reuse.Lanes)
	}
	name := fmt.Sprintf("%s-%s-%s-%s", model, strategy, f.Queue, f.View)
	if indexOrder != fileOrder {
		name += "-" + orderInName(indexOrder)
	}
	return name
}

func orderInName(indexOrder string) string { return strings.ReplaceAll(indexOrder, "+", "-") }

// describe is what a screenshot says of itself, in a text chunk.
func describe(f *renderer.Frame, indexOrder string, invocations int) string {
	culled := ""
	if f.Cull {
		culled = ", culled, back faces: " + f.CullFaces.String()
	}
	return fmt.Sprintf("%s: strategy %s, order %s, queue %s, view %s%s, %d invocations", f.Scene.Name, f.Reuse, indexOrder, f.Queue, f.View, culled, invocations)
}

// encodePicture is a PNG with text chunks: Software, Description and, for `viewer
// --from`, the settings.
func encodePicture(img image.Image, description, settings string) ([]byte, error) {
	var plain bytes.Buffer
	if err := png.Encode(&plain, img); err != nil {
		return nil, err
	}
	// Texts may stand anywhere between the header and the end: after the header,
	// which is 8 bytes of signature and a chunk of 13 bytes.
	const header = 8 + 12 + 13
	data := plain.Bytes()
	out := append([]byte(nil), data[:header]...)
	out = appendText(out, "Software", "shadeonce viewer")
	out = appendText(out, "Description", description)
	out = appendText(out, stampKeyword, settings)
	return append(out, data[header:]...), nil
}

// appendText appends an iTXt chunk, which holds UTF-8 (PNG specification, 11.3.4.5).
func appendText(to []byte, keyword, text string) []byte {
	body := []byte("iTXt" + keyword + "\x00\x00\x00\x00\x00" + strings.ToValidUTF8(text, "?"))
	to = binary.BigEndian.AppendUint32(to, uint32(len(body)-4))
	to = append(to, body...)
	return binary.BigEndian.AppendUint32(to, crc32.ChecksumIEEE(body))
}

// maxPictures bounds the numbers that savePicture tries.
const maxPictures = 10000

// savePicture writes name.png into a folder, or name-2.png and so on where that
// is there already; nothing is ever overwritten. It returns the path.
func savePicture(folder, name string, data []byte) (string, error) {
	for n := 1; n <= maxPictures; n++ {
		path := filepath.Join(folder, name+".png")
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d.png", name, n))
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(data)
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(path) // half a picture is worse than none
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("%s.png: there are %d of that name already", name, maxPictures)
}
