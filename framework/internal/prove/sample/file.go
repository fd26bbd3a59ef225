// Package sample makes values of bodies that satisfy rules and media types, and cuts and masks texts of answers.
package sample

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
)

// File returns a small file of one of some media types, and its type.
func File(types []string) (content []byte, kind string) {
	if len(types) == 0 {
		return []byte("0123456789"), "application/octet-stream"
	}
	kind = types[0]
	var file bytes.Buffer
	dot := image.NewGray(image.Rect(0, 0, 1, 1))
	switch kind { // a write to a bytes.Buffer does not fail
	case "image/png", "image/*":
		kind = "image/png"
		_ = png.Encode(&file, dot)
	case "image/jpeg":
		_ = jpeg.Encode(&file, dot, nil)
	case "image/gif":
		_ = gif.Encode(&file, dot, nil)
	case "application/pdf":
		file.WriteString("%PDF-1.4\n%%EOF\n")
	case "application/json":
		file.WriteString("{}")
	default:
		kind = strings.ReplaceAll(kind, "*", "plain")
		file.WriteString("0123456789")
	}
	return file.Bytes(), kind
}
