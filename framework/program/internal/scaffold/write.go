package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// A file is a file to write.
type file struct {
	name     string // from the root of the project, with slashes
	content  []byte
	replaces bool // the file exists, and the content replaces it
}

// writeAll writes all files below root, or none: after an error it removes what it wrote. It
// overwrites no file but one that is to be replaced, which it replaces last and at once.
func writeAll(root *os.Root, files []file) (err error) {
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, name := range slices.Backward(made) {
			err = errors.Join(err, root.Remove(name))
		}
	}()
	for _, replaces := range []bool{false, true} {
		for _, f := range files {
			if f.replaces != replaces {
				continue
			}
			if err := write(root, f, &made); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes a file. It adds the names of what it made.
func write(root *os.Root, f file, made *[]string) error {
	if f.replaces {
		return replace(root, f)
	}
	return writeNew(root, f, made)
}

// writeNew writes a file that does not exist, and the folders that it needs. It adds the names
// of what it made.
func writeNew(root *os.Root, f file, made *[]string) error {
	if err := makeFolders(root, path.Dir(f.name), made); err != nil {
		return err
	}
	out, err := root.OpenFile(f.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is a file %s already", f.name)
	}
	if err != nil {
		return err
	}
	*made = append(*made, f.name)
	_, err = out.Write(f.content)
	return errors.Join(err, out.Close())
}

func makeFolders(root *os.Root, folder string, made *[]string) error {
	if folder == "." {
		return nil
	}
	if err := makeFolders(root, path.Dir(folder), made); err != nil {
		return err
	}
	err := root.Mkdir(folder, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		*made = append(*made, folder)
	}
	return err
}

// replace replaces a file at once, with the mode of the old file.
func replace(root *os.Root, f file) error {
	info, err := root.Stat(f.name)
	if err != nil {
		return err
	}
	next := f.name + ".next"
	if err := root.WriteFile(next, f.content, info.Mode().Perm()); err != nil {
		return errors.Join(err, root.Remove(next))
	}
	if err := root.Rename(next, f.name); err != nil {
		return errors.Join(err, root.Remove(next))
	}
	return nil
}
