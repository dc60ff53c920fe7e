package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// stampKeyword is the keyword of the text chunk that holds a stamp.
const stampKeyword = "shadeonce settings"

// maxChunks bounds the chunks of a PNG that are passed over in search of a stamp.
const maxChunks = 1 << 20

// readStamp reads the stamp of a picture that the viewer saved.
func readStamp(path string) (stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return stamp{}, err
	}
	defer file.Close()
	text, err := findText(bufio.NewReader(file), stampKeyword)
	if err != nil {
		return stamp{}, fmt.Errorf("%s: %w", path, err)
	}
	s, err := parseStamp(text)
	if err != nil {
		return stamp{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

var errNoStamp = errors.New("no settings in it: only pictures saved by this viewer have them")

// findText is the text of a PNG's iTXt chunk of a keyword (PNG specification,
// 5.3 and 11.3.4.5). Nothing else of the file is kept in memory.
func findText(r *bufio.Reader, keyword string) ([]byte, error) {
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
			return nil, fmt.Errorf("a chunk of %d bytes", length)
		case kind == "IEND":
			return nil, errNoStamp
		case kind != "iTXt" || length > maxStampBytes+256:
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
		text, ours := bytes.CutPrefix(body, []byte(keyword+"\x00\x00\x00\x00\x00"))
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
