package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
)

// A wholeFile is written beside its place, and moved there when it is complete on the
// disk.
type wholeFile struct {
	place string // the final path
	part  string // the path while it is written
}

// newWholeFile creates the empty file that is written, for its owner alone. It removes
// the parts that a killed process left, and calls left for each.
func newWholeFile(place string, left func(part string)) (*wholeFile, error) {
	if err := removeParts(place, left); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(place), filepath.Base(place)+".*.part") // its mode is 0600
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s; make it first", filepath.Dir(place))
	}
	if err != nil {
		return nil, err
	}
	return &wholeFile{place, f.Name()}, f.Close()
}

// isPart reports whether a file is a part of another file.
func isPart(path, place string) bool {
	parts, _ := findParts(place) // on an error, no part is removed
	return slices.ContainsFunc(parts, func(part string) bool { return isSameFile(part, path) })
}

func removeParts(place string, left func(part string)) error {
	parts, err := findParts(place)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := os.Remove(part); err != nil {
			return err
		}
		left(part)
	}
	return nil
}

// findParts returns the parts of a file.
func findParts(place string) ([]string, error) {
	files, err := os.ReadDir(filepath.Dir(place))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	part := regexp.MustCompile(`^` + regexp.QuoteMeta(filepath.Base(place)) + `\.[0-9]+\.part(-journal|-wal|-shm)?$`)
	var found []string
	for _, f := range files {
		if part.MatchString(f.Name()) {
			found = append(found, filepath.Join(filepath.Dir(place), f.Name()))
		}
	}
	return found, nil
}

// discard removes the part, unless it was put in its place.
func (f *wholeFile) discard() { _ = os.Remove(f.part) }

// put moves the file to its place. It replaces an existing file only if over is set.
func (f *wholeFile) put(over bool) error {
	if err := syncFile(f.part); err != nil {
		return err
	}
	move := os.Rename
	if !over {
		move = renameNew
	}
	if err := move(f.part, f.place); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(f.place))
}

// renameNew renames a file, unless a file of the new name exists.
func renameNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there by now; nothing was written over it", to)
	}
	return os.Rename(from, to) // a disk without links
}

// syncFile returns when a file is on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder returns when the names in a folder are on the disk. Windows does that by
// itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
