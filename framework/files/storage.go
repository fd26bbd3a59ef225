package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"strings"
	"time"
)

// A Storage stores contents by keys. [Disk] and package s3 are storages; package frameworktest
// has a test of any other. A storage is safe for concurrent use, and several processes may use
// the same one.
//
// A key has 1 to 200 characters: lower-case letters, digits, "-", "_" and "/" between its
// parts. The framework makes the keys, see [NewKey]. [CheckKey] reports another key.
type Storage interface {
	// Put stores what body has until its end, and replaces a content with the same key. The
	// media type is for storages that serve contents themselves. When Put returns nil, the
	// content survives a crash of the machine. When it returns an error, also one of body, no
	// reader sees a part of the content.
	Put(ctx context.Context, key string, body io.Reader, mediaType string) error
	// Get reads the content from a byte on: length bytes of it, or to its end for a negative
	// length. The caller closes the reader. A key without a content is an error that wraps
	// [ErrNotFound], from Get or from the first Read.
	Get(ctx context.Context, key string, from, length int64) (io.ReadCloser, error)
	// Delete removes a content. A key without a content is no error.
	Delete(ctx context.Context, key string) error
	// List yields the contents whose keys begin with a prefix, in any order. Contents that are
	// stored or deleted meanwhile may be missing. After an error it yields nothing more.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// DeleteUnfinished removes what interrupted calls of Put have left, if they began before a
	// time. It returns how many it removed, also with an error.
	DeleteUnfinished(ctx context.Context, before time.Time) (int, error)
}

// An Object is a stored content.
type Object struct {
	Key      string
	Size     int64
	Modified time.Time // when it was stored, by the clock of the storage
}

// ErrNotFound is the error for a key without a content.
var ErrNotFound = errors.New("files: no content has this key")

// ErrBusy is the error of Put if the storage cannot take another content now. The client gets 503.
var ErrBusy = errors.New("files: the storage has too many uploads at once")

// WithContext returns a reader of body whose Read fails with the error of ctx after ctx has ended. A
// storage reads the body of [Storage.Put] by it, so that an upload ends with its request.
func WithContext(ctx context.Context, body io.Reader) io.Reader { return contextReader{ctx, body} }

type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// NewKey returns a new key below a prefix. Its last part is random, with 128 bits or more.
func NewKey(prefix string) string {
	return strings.TrimSuffix(prefix, "/") + "/" + strings.ToLower(rand.Text())
}

// maxKey is the greatest length of a key.
const maxKey = 200

// CheckKey returns an error for a text that is not a key, see [Storage].
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey {
		return errors.New("files: a key has 1 to 200 characters")
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return errors.New("files: the parts of a key have lower-case letters, digits, - and _ only")
		}
	}
	return nil
}
