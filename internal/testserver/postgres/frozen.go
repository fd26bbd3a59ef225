//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Freeze is [Durable.Freeze]; thawed lets the server continue. [Standby.Stop] ends a
// frozen server after some seconds.
func (s *Standby) Freeze() (thawed func() error, err error) {
	frozen, err := freeze(s.dir)
	return func() error { return thaw(frozen) }, err
}

// freeze stops the processes of the server in a folder, its first process before all
// others.
func freeze(dir string) (frozen []int, err error) {
	server, err := serverOf(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, thaw(frozen))
		}
	}()
	if frozen, err = freezeOne(nil, server); err != nil { // from here on it starts no other processes
		return frozen, err
	}
	others, err := children(server)
	for _, process := range others {
		if err == nil {
			frozen, err = freezeOne(frozen, process)
		}
	}
	return frozen, err
}

func freezeOne(frozen []int, process int) ([]int, error) {
	switch err := syscall.Kill(process, syscall.SIGSTOP); {
	case errors.Is(err, syscall.ESRCH): // it has ended already
		return frozen, nil
	case err != nil:
		return frozen, fmt.Errorf("freezing process %d of the PostgreSQL server: %w", process, err)
	}
	return append(frozen, process), nil
}

func thaw(frozen []int) error {
	var failed []error
	for _, process := range frozen {
		if err := syscall.Kill(process, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			failed = append(failed, fmt.Errorf("waking process %d of the PostgreSQL server: %w", process, err))
		}
	}
	return errors.Join(failed...)
}

func pidFile(dir string) string { return filepath.Join(dir, "data", "postmaster.pid") }

// serverOf returns the first process of the server in a folder, the parent of all others.
func serverOf(dir string) (int, error) {
	content, err := os.ReadFile(pidFile(dir))
	if err != nil {
		return 0, fmt.Errorf("the PostgreSQL server does not run: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	return strconv.Atoi(first)
}

// children returns the processes that a process started.
func children(of int) ([]int, error) {
	output, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output() //nolint:noctx // it lists running processes
	if err != nil {
		return nil, fmt.Errorf("listing processes by ps: %w", err)
	}
	var found []int
	for line := range strings.Lines(string(output)) {
		var process, parent int
		if _, err := fmt.Sscan(line, &process, &parent); err == nil && parent == of {
			found = append(found, process)
		}
	}
	return found, nil
}
