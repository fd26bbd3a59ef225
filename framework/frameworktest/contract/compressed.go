package contract

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// mostDecompressed limits the length of a body after decompression.
const mostDecompressed = 64 << 20

// decompress replaces the body of an answer that is compressed by the body before that. A body that is not of the stated encoding
// stays, and so is a finding.
func (x *exchange) decompress() {
	var read io.Reader
	switch x.answered.Get("Content-Encoding") {
	case "gzip":
		unpacked, err := gzip.NewReader(bytes.NewReader(x.body))
		if err != nil {
			return
		}
		read = unpacked
	case "zstd":
		unpacked, err := zstd.NewReader(bytes.NewReader(x.body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDecompressed))
		if err != nil {
			return
		}
		defer unpacked.Close()
		read = unpacked
	default:
		return
	}
	if body, err := io.ReadAll(io.LimitReader(read, mostDecompressed)); err == nil {
		x.body = body
	}
}
