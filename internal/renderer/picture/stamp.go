package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stamp says how a picture was made, as a command line would: by files and values of flags. It is
// stored in a text chunk of a saved picture. Since anyone may have written a picture, a reader
// checks the values as it checks flags.
type Stamp struct {
	Version int               `json:"version"`
	Files   []string          `json:"files,omitempty"`
	Flags   map[string]string `json:"flags"`
}

// StampVersion is increased when the meaning of a Stamp changes.
const StampVersion = 1

// StampKeyword is the keyword of the text chunk that holds a Stamp.
const StampKeyword = "shadeonce settings"

// Bounds of what ReadStamp reads.
const (
	MaxStampBytes = 64 << 10
	maxStampFiles = 64
	maxStampValue = 4 << 10 // bytes of a flag's value or a file's name
	maxChunks     = 1 << 20 // chunks of a PNG that are skipped while searching for a Stamp
)

// ParseStamp reads a Stamp and checks its bounds, but not its values.
func ParseStamp(text []byte) (Stamp, error) {
	var s Stamp
	if len(text) > MaxStampBytes {
		return s, fmt.Errorf("settings of %d bytes, at most %d are read", len(text), MaxStampBytes)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("settings: %w", err)
	}
	if s.Version != StampVersion {
		return s, fmt.Errorf("settings of version %d, this viewer reads %d", s.Version, StampVersion)
	}
	if len(s.Files) > maxStampFiles {
		return s, fmt.Errorf("settings name %d files, at most %d are opened", len(s.Files), maxStampFiles)
	}
	for _, text := range slices.Concat(s.Files, slices.Collect(maps.Values(s.Flags))) {
		if len(text) > maxStampValue {
			return s, errors.New("settings: a value is too long")
		}
	}
	return s, nil
}

// ReadStamp reads the Stamp of a PNG file that Encode wrote.
func ReadStamp(path string) (Stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return Stamp{}, err
	}
	defer file.Close()
	s, err := DecodeStamp(file)
	if err != nil {
		return Stamp{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// DecodeStamp reads the Stamp of a PNG that Encode made.
func DecodeStamp(r io.Reader) (Stamp, error) {
	text, err := stampText(bufio.NewReader(r))
	if err != nil {
		return Stamp{}, err
	}
	return ParseStamp(text)
}

var errNoStamp = errors.New("the picture contains no settings: only pictures saved by the viewer have them")

// stampText returns the text of a PNG's iTXt chunk with StampKeyword (PNG specification, 5.3 and
// 11.3.4.5). It keeps nothing else of the file in memory.
func stampText(r *bufio.Reader) ([]byte, error) {
	var signature [8]byte
	if _, err := io.ReadFull(r, signature[:]); err != nil || string(signature[:]) != "\x89PNG\r\n\x1a\n" {
		return nil, errors.New("no PNG picture")
	}
	for range maxChunks {
		var head [8]byte // length, type
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, errors.New("the picture ends early")
		}
		length, kind := binary.BigEndian.Uint32(head[:]), string(head[4:])
		switch {
		case length > 1<<31-1:
			return nil, fmt.Errorf("a PNG chunk of %d bytes is too long", length)
		case kind == "IEND":
			return nil, errNoStamp
		case kind != "iTXt" || length > MaxStampBytes+256:
			if _, err := io.CopyN(io.Discard, r, int64(length)+4); err != nil {
				return nil, errors.New("the picture ends early")
			}
			continue
		}
		body := make([]byte, length+4)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, errors.New("the picture ends early")
		}
		body, sum := body[:length], binary.BigEndian.Uint32(body[length:])
		// Keyword, not compressed, no language, no translated keyword.
		text, ours := bytes.CutPrefix(body, []byte(StampKeyword+"\x00\x00\x00\x00\x00"))
		if !ours {
			continue
		}
		if crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, body) != sum {
			return nil, errors.New("its settings are damaged")
		}
		return text, nil
	}
	return nil, errNoStamp
}

// Encode returns a PNG with text chunks: Software, Description, and the Stamp.
func Encode(img image.Image, software, description string, stamp Stamp) ([]byte, error) {
	settings, err := json.Marshal(stamp)
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	if err := png.Encode(&plain, img); err != nil {
		return nil, err
	}
	// Text chunks may be anywhere after the header and before the end. The header is the signature of 8
	// bytes, and a chunk with 12 bytes around its 13 bytes of data.
	const header = 8 + 12 + 13
	data := plain.Bytes()
	out := append([]byte(nil), data[:header]...)
	out = appendText(out, "Software", software)
	out = appendText(out, "Description", description)
	out = appendText(out, StampKeyword, string(settings))
	return append(out, data[header:]...), nil
}

// appendText appends an iTXt chunk, which holds UTF-8 (PNG specification, 11.3.4.5).
func appendText(to []byte, keyword, text string) []byte {
	body := []byte("iTXt" + keyword + "\x00\x00\x00\x00\x00" + strings.ToValidUTF8(text, "?"))
	to = binary.BigEndian.AppendUint32(to, uint32(len(body)-4))
	to = append(to, body...)
	return binary.BigEndian.AppendUint32(to, crc32.ChecksumIEEE(body))
}

// maxSaved bounds the numbers that SaveNew tries.
const maxSaved = 10000

// SaveNew writes a file such as name.png into a folder. If the file exists, SaveNew writes name-2.png,
// and so on: it overwrites nothing. It returns the path.
func SaveNew(folder, file string, data []byte) (string, error) {
	ext := filepath.Ext(file)
	name := strings.TrimSuffix(file, ext)
	for n := 1; n <= maxSaved; n++ {
		path := filepath.Join(folder, file)
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d%s", name, n, ext))
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
			_ = os.Remove(path) // better no file than half of one
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("%s: there are %d of that name already", file, maxSaved)
}
