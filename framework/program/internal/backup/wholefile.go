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

// A wholeFile is written beside its place and put there when all of it is on
// the disk, so that its name never stands for a part of it.
type wholeFile struct {
	place string // where it will be
	part  string // where it is written
}

// newWholeFile makes the file that is written, empty and for its owner alone.
// Parts that a process left there when it was killed are removed, and said to
// left.
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

// isPart reports whether a file is one of the parts of another.
func isPart(path, place string) bool {
	parts, _ := leftovers(place) // where they cannot be looked at, none is removed
	return slices.ContainsFunc(parts, func(part string) bool { return sameFile(part, path) })
}

func removeParts(place string, left func(part string)) error {
	parts, err := leftovers(place)
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

// leftovers are the parts of a file, none where there is no folder.
func leftovers(place string) ([]string, error) {
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

// put puts the file in its place, over one that is there only if it may.
func (f *wholeFile) put(over bool) error {
	if err := toDisk(f.part); err != nil {
		return err
	}
	move := os.Rename
	if !over {
		move = linkAlone
	}
	if err := move(f.part, f.place); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(f.place))
}

// linkAlone is a rename that fails where there is a file of the new name.
func linkAlone(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there by now; nothing was written over it", to)
	}
	return os.Rename(from, to) // a disk without links
}

// toDisk returns when all of a file is on the disk.
func toDisk(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder returns when the names in a folder are on the disk, which Windows
// does by itself.
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
