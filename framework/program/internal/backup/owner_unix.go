//go:build unix

package backup

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"trestle.example/framework/program/internal/exit"
)

// checkOwner rejects root if another user owns a folder, a link or a file on the way to the
// database, or may write in such a folder: that user could place a link to any file of root
// there. It accepts a writable folder that is sticky, unless the path after it is missing or
// is the last one. If the process is not root, it accepts every path.
func checkOwner(passed []string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	shared := "" // the folder before path, if it is sticky and other users may create files in it
	for i, path := range passed {
		info, err := os.Lstat(path)
		gone := errors.Is(err, fs.ErrNotExist)
		switch {
		case shared != "" && (gone || i == len(passed)-1):
			return exit.Misused("others than root may write in %s, and could put something beside %s that SQLite believes; use a folder of root's own", shared, path)
		case gone:
			continue
		case err != nil:
			return err
		}
		if of, known := info.Sys().(*syscall.Stat_t); known && of.Uid != 0 {
			return exit.Misused("%s is of the user %s, who could lead root anywhere from there; run this as that user (FILE may be -, for standard input)",
				path, userName(of.Uid))
		}
		shared = ""
		if info.IsDir() && info.Mode().Perm()&0o022 != 0 {
			if info.Mode()&os.ModeSticky == 0 {
				return exit.Misused("others than root may write in %s, and could lead root anywhere from there; take that from them first: chmod go-w %s", path, quote(path))
			}
			shared = path
		}
	}
	return nil
}

func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if known, err := user.LookupId(id); err == nil {
		return known.Username
	}
	return id
}

// copyAccess gives a file the group and the mode of another file, if that exists. If the
// group cannot be given, the group gets no access.
func copyAccess(path, other string) error {
	info, err := os.Stat(other)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	if of, known := info.Sys().(*syscall.Stat_t); known && os.Chown(path, -1, int(of.Gid)) != nil {
		mode &^= 0o070
	}
	return os.Chmod(path, mode)
}
