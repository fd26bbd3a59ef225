// Package migrationfile writes the files of a migration.
package migrationfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// ErrName is the error of a wrong name.
var ErrName = errors.New("give one name of lower-case letters, digits and underscores, such as add_patient_email")

var rightName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// CheckName returns [ErrName] if a migration cannot have the name.
func CheckName(name string) error {
	if !rightName.MatchString(name) {
		return ErrName
	}
	return nil
}

// Write writes the two files of a migration into an existing folder, and returns the paths of
// the files that it wrote, also with an error.
func Write(dir, name string, now time.Time, up, down string) ([]string, error) {
	id, err := nextID(dir, now)
	if err != nil {
		return nil, err
	}
	var written []string
	for _, one := range []struct{ direction, script string }{{"up", up}, {"down", down}} {
		file := filepath.Join(dir, fmt.Sprintf("%d_%s.tx.%s.sql", id, name, one.direction))
		if err := writeNew(file, one.script); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	return written, nil
}

var migrationFile = regexp.MustCompile(`^([0-9]+)_.*\.sql$`)

// nextID returns the time in UTC as a number, such as 20261126093000. If the folder has a
// greater or equal id, nextID returns one more than the greatest id, so that the new
// migration runs last.
func nextID(dir string, now time.Time) (uint64, error) {
	last, err := LastID(os.DirFS(dir), ".")
	if errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("there is no folder %s; run this where the application's migrations are, or name their folder with --dir", dir)
	}
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseUint(now.UTC().Format("20060102150405"), 10, 64)
	if err != nil {
		return 0, err
	}
	return max(id, last+1), nil
}

// LastID returns the greatest id of the migrations in a folder, or 0 if it has none.
func LastID(files fs.FS, dir string) (last uint64, err error) {
	entries, err := fs.ReadDir(files, dir)
	for _, e := range entries {
		if parts := migrationFile.FindStringSubmatch(e.Name()); parts != nil {
			if id, err := strconv.ParseUint(parts[1], 10, 64); err == nil {
				last = max(last, id)
			}
		}
	}
	return last, err
}

// writeNew writes a file. It returns an error if the file exists.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
