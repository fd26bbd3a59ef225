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
	lock  placeLock
}

// newWholeFile creates the empty file that is written, for its owner alone. It first removes
// all other parts of the same file, those of a killed process, and calls left for each. While
// another process writes the same file, it returns an error. The caller calls discard.
func newWholeFile(place string, left func(part string)) (*wholeFile, error) {
	lock, err := lockPlace(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s; make it first", filepath.Dir(place))
	}
	if err != nil {
		return nil, err
	}
	part, err := createPart(place, left)
	if err != nil {
		lock.release()
		return nil, err
	}
	return &wholeFile{place, part, lock}, nil
}

// createPart removes the parts of a file and creates a new, empty one.
func createPart(place string, left func(part string)) (part string, err error) {
	if err := removeParts(place, left); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(place), filepath.Base(place)+".*.part") // its mode is 0600
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// isPart reports whether a file is a part of the file at place.
func isPart(path, place string) bool {
	parts, _ := findParts(place) // if this fails, no part is removed either
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

// findParts returns the parts of a file, and the logs of these parts.
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

// discard removes the part, unless put has moved it, and lets other processes write the file.
func (f *wholeFile) discard() {
	_ = os.Remove(f.part)
	f.lock.release()
}

// put writes the file to the disk and moves it to its place. Unless over is true, an existing
// file is an error, as [renameNew] says.
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

// renameNew renames a file. If a file of the new name exists, it returns an error; on a disk
// without hard links it may replace that file.
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

// syncFile writes a file to the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder writes the names in a folder to the disk. On Windows it does nothing.
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
