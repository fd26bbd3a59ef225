package frameworktest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/files"
)

// TestStorage checks an empty storage against the contract of [files.Storage]: contents of
// several lengths, ranges, replacement, listing, deletion, readers that fail, contexts that end,
// keys that are not allowed, and many calls at once. It deletes what it stores.
func TestStorage(t *testing.T, s files.Storage) {
	t.Helper()
	ctx := context.Background()
	t.Run("contents", func(t *testing.T) { checkContents(ctx, t, s) })
	t.Run("ranges", func(t *testing.T) { checkRanges(ctx, t, s) })
	t.Run("a list", func(t *testing.T) { checkList(ctx, t, s) })
	t.Run("failures", func(t *testing.T) { checkFailures(ctx, t, s) })
	t.Run("keys", func(t *testing.T) { checkKeys(ctx, t, s) })
	t.Run("at once", func(t *testing.T) { checkContentsAtOnce(ctx, t, s) })
	if keys := listed(ctx, t, s, ""); len(keys) > 0 {
		t.Errorf("the storage still lists %q", keys)
	}
}

// storageSizes are lengths of contents: none, less than a buffer, and more than a part of an
// upload in parts.
var storageSizes = []int{0, 1, 32<<10 + 1, 17 << 20}

func checkContents(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	key := files.NewKey("suite/contents")
	for _, size := range storageSizes {
		content := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		put(ctx, t, s, key, content) // replaces the one before
		if got := get(ctx, t, s, key, 0, -1); !bytes.Equal(got, content) {
			t.Errorf("of a content of %d bytes, %d are read, or others", size, len(got))
		}
	}
	for range 2 { // a second time there is nothing to delete
		if err := s.Delete(ctx, key); err != nil {
			t.Error(err)
		}
	}
	if r, err := s.Get(ctx, key, 0, -1); err == nil {
		_, err = io.ReadAll(r)
		_ = r.Close()
		if !errors.Is(err, files.ErrNotFound) {
			t.Errorf("after its deletion, the error is %v; want files.ErrNotFound", err)
		}
	} else if !errors.Is(err, files.ErrNotFound) {
		t.Errorf("after its deletion, the error is %v; want files.ErrNotFound", err)
	}
}

func checkRanges(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	key := files.NewKey("suite/ranges")
	put(ctx, t, s, key, []byte("0123456789"))
	defer func() { _ = s.Delete(ctx, key) }()
	for _, c := range []struct {
		from, length int64
		want         string
	}{
		{0, -1, "0123456789"}, {0, 1, "0"}, {0, 3, "012"}, {2, 3, "234"}, {7, -1, "789"}, {9, 1, "9"}, {8, 100, "89"}, {10, -1, ""}, {4, 0, ""},
	} {
		if got := get(ctx, t, s, key, c.from, c.length); string(got) != c.want {
			t.Errorf("%d bytes from %d are %q; want %q", c.length, c.from, got, c.want)
		}
	}
}

func checkList(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	began := time.Now().Add(-time.Minute)
	keys := []string{"suite/list/a/1", "suite/list/a/2", "suite/list/ab/3", "suite/list/b/4"}
	for _, key := range keys {
		put(ctx, t, s, key, []byte("12345"))
		defer func() { _ = s.Delete(ctx, key) }()
	}
	for prefix, want := range map[string][]string{
		"suite/list/": keys, "suite/list/a/": keys[:2], "suite/list/a": keys[:3], "suite/list/b/": keys[3:], "suite/list/c/": nil, "absent/": nil,
	} {
		if got := listed(ctx, t, s, prefix); !slices.Equal(got, want) {
			t.Errorf("the list of %q is %q; want %q", prefix, got, want)
		}
	}
	for object, err := range s.List(ctx, "suite/list/") {
		if err != nil || object.Size != 5 || object.Modified.Before(began) || object.Modified.After(time.Now().Add(time.Minute)) {
			t.Errorf("the list has %+v, error %v", object, err)
		}
		break // a caller may stop
	}
}

// brokenReader fails after some bytes.
type brokenReader struct {
	left int
	err  error
}

func (r *brokenReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, r.err
	}
	n := min(len(p), r.left)
	r.left -= n
	return n, nil
}

func checkFailures(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	key, cause := files.NewKey("suite/failures"), errors.New("the client disconnected")
	put(ctx, t, s, key, []byte("before"))
	for _, size := range storageSizes {
		if err := s.Put(ctx, key, &brokenReader{size, cause}, "text/plain"); !errors.Is(err, cause) {
			t.Errorf("after %d bytes of a reader that fails, the error is %v", size, err)
		}
		ended, end := context.WithCancel(ctx)
		endingReader := io.MultiReader(&brokenReader{size, io.EOF}, readerFunc(func() { end() }), strings.NewReader("more"))
		if err := s.Put(ended, key, endingReader, "text/plain"); err == nil {
			t.Errorf("after %d bytes the context ended, and there is no error", size)
		}
		end()
	}
	if got := get(ctx, t, s, key, 0, -1); string(got) != "before" {
		t.Errorf("after uploads that failed, the content is %q", got)
	}
	if err := s.Delete(ctx, key); err != nil {
		t.Error(err)
	}
	if n, err := s.DeleteUnfinished(ctx, time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("uploads that failed left %d contents, error %v", n, err)
	}
}

// A readerFunc calls a function, and has no bytes.
type readerFunc func()

func (f readerFunc) Read([]byte) (int, error) { f(); return 0, io.EOF }

func checkKeys(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	for _, key := range []string{"", "/", "a/", "/a", "a//b", "../a", "a/../b", ".", "A", "a b", "a\x00b", "a\\b", "é", strings.Repeat("a", 201)} {
		if s.Put(ctx, key, strings.NewReader("x"), "") == nil {
			t.Errorf("Put takes the key %q", key)
		}
		if _, err := s.Get(ctx, key, 0, -1); err == nil {
			t.Errorf("Get takes the key %q", key)
		}
		if s.Delete(ctx, key) == nil {
			t.Errorf("Delete takes the key %q", key)
		}
	}
}

func checkContentsAtOnce(ctx context.Context, t *testing.T, s files.Storage) {
	t.Helper()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			key := files.NewKey("suite/at-once")
			if err := s.Put(ctx, key, strings.NewReader(key), "text/plain"); err != nil {
				t.Error(err)
				return
			}
			if got := get(ctx, t, s, key, 0, -1); string(got) != key {
				t.Errorf("the content of %s is %q", key, got)
			}
			if err := s.Delete(ctx, key); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func put(ctx context.Context, t *testing.T, s files.Storage, key string, content []byte) {
	t.Helper()
	if err := s.Put(ctx, key, bytes.NewReader(content), "application/octet-stream"); err != nil {
		t.Fatal(err)
	}
}

func get(ctx context.Context, t *testing.T, s files.Storage, key string, from, length int64) []byte {
	t.Helper()
	r, err := s.Get(ctx, key, from, length)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return content
}

// listed lists the keys below a prefix, sorted.
func listed(ctx context.Context, t *testing.T, s files.Storage, prefix string) (keys []string) {
	t.Helper()
	for object, err := range s.List(ctx, prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, object.Key)
	}
	slices.Sort(keys)
	return keys
}
