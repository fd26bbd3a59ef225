package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"runtime"
	"strings"
	"time"
)

// A Disk is a [Storage] in a folder of a file system. It is safe for concurrent use, and several
// processes may use one folder. Each database needs a folder of its own: the sweep of an API
// deletes contents that no row of its database names.
//
// A content is written to a file below "incoming.tmp", flushed to the disk (fsync), and then
// renamed to its key, so a reader never sees a part of it. The file system must be local, or
// must rename atomically.
type Disk struct{ root *os.Root }

// incoming is the folder of unfinished files. No key contains a dot.
const incoming = "incoming.tmp"

// OpenDisk opens a folder as a storage. It makes the folder, readable by the user of the process
// alone, if it does not exist. The error says which folder cannot be used.
func OpenDisk(folder string) (*Disk, error) {
	if folder == "" {
		return nil, errors.New("files: OpenDisk needs the path of a folder; the path is empty")
	}
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(folder); err == nil {
			if err = root.MkdirAll(incoming, 0o700); err == nil {
				return &Disk{root}, nil
			}
			_ = root.Close()
		}
	}
	return nil, fmt.Errorf("files: the folder %q cannot store files: %w", folder, err)
}

// Close closes the folder. Calls under way may fail.
func (d *Disk) Close() error { return d.root.Close() }

// Put implements [Storage].
func (d *Disk) Put(ctx context.Context, key string, body io.Reader, _ string) (err error) {
	if err := CheckKey(key); err != nil {
		return err
	}
	name := path.Join(incoming, strings.ToLower(rand.Text()))
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = d.root.Remove(name)
		}
	}()
	if _, err := io.Copy(f, WithContext(ctx, body)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.place(name, key)
}

// place renames a finished file to its key, and flushes the folders.
func (d *Disk) place(name, key string) error {
	folder := path.Dir(key)
	if err := d.root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := d.root.Rename(name, key); err != nil {
		return err
	}
	for at := folder; ; at = path.Dir(at) {
		if err := d.syncFolder(at); err != nil {
			_ = d.root.Remove(key)
			return err
		}
		if at == "." {
			return nil
		}
	}
}

// syncFolder flushes the names in a folder to the disk. Windows cannot flush a folder.
func (d *Disk) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Get implements [Storage].
func (d *Disk) Get(_ context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	f, err := d.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		_ = f.Close()
		return nil, err
	}
	if length < 0 {
		return f, nil
	}
	return limited{io.LimitReader(f, length), f}, nil
}

// limited reads a part of a file.
type limited struct {
	io.Reader
	io.Closer
}

// Delete implements [Storage].
func (d *Disk) Delete(_ context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if err := d.root.Remove(key); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List implements [Storage].
func (d *Disk) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		folder := path.Dir(prefix + "x") // the folder that has every key with this prefix
		d.walk(ctx, folder, prefix, yield)
	}
}

// walk yields the files of a folder and of the folders in it. It returns false if no more are
// wanted.
func (d *Disk) walk(ctx context.Context, folder, prefix string, yield func(Object, error) bool) bool {
	f, err := d.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		yield(Object{}, err)
		return false
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(entriesAtOnce)
		for _, entry := range entries {
			if !d.entry(ctx, path.Join(folder, entry.Name()), prefix, entry, yield) {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err == nil:
			err = ctx.Err()
		}
		if err != nil {
			yield(Object{}, err)
			return false
		}
	}
}

// entriesAtOnce is how many names of a folder are in memory at once.
const entriesAtOnce = 1000

// entry yields one entry of a folder. It skips the entries that no key has.
func (d *Disk) entry(ctx context.Context, name, prefix string, entry fs.DirEntry, yield func(Object, error) bool) bool {
	switch {
	case entry.IsDir() && CheckKey(name) == nil:
		return d.walk(ctx, name, prefix, yield)
	case !entry.Type().IsRegular() || CheckKey(name) != nil || !strings.HasPrefix(name, prefix):
		return true
	}
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) { // it was deleted meanwhile
		return true
	}
	if err != nil {
		yield(Object{}, err)
		return false
	}
	return yield(Object{Key: name, Size: info.Size(), Modified: info.ModTime()}, nil)
}

// DeleteUnfinished implements [Storage].
func (d *Disk) DeleteUnfinished(ctx context.Context, before time.Time) (deleted int, err error) {
	entries, err := fs.ReadDir(d.root.FS(), incoming)
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && info.ModTime().Before(before) {
			if err = d.root.Remove(path.Join(incoming, entry.Name())); err == nil {
				deleted++
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return deleted, err
		}
	}
	return deleted, nil
}
