package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	"trestle.example/internal/testserver/throwaway"
)

// A Tool is the name of a program, which is also the name of its package in Debian,
// unless it is a part of another tool's package.
type Tool string

// The tools that tests use.
const (
	Caddy      Tool = "caddy"
	Curl       Tool = "curl"
	Etcd       Tool = "etcd" // in the package etcd-server
	HAProxy    Tool = "haproxy"
	Nginx      Tool = "nginx"
	Patroni    Tool = "patroni"
	Prometheus Tool = "prometheus"
	Promtool   Tool = "promtool" // in the package of Prometheus
)

// ErrNotInstalled is wrapped by the errors of this package. They state in one sentence
// which program is missing and how to install it.
var ErrNotInstalled = errors.New("not installed")

// Path returns the path of the program: the first in PATH, or else in one of the folders
// where Debian and others install it, which only administrators have in PATH. If there is
// none, the error wraps [ErrNotInstalled]. Path is safe for concurrent use.
func (t Tool) Path() (string, error) {
	return t.find("", "/usr/sbin/", "/usr/local/sbin/")
}

func (t Tool) find(folders ...string) (string, error) {
	for _, folder := range folders {
		if path, err := exec.LookPath(folder + string(t)); err == nil {
			return path, nil
		}
	}
	p := t.inPackage()
	return "", fmt.Errorf("%s is %w, neither in PATH nor in /usr/sbin: "+
		"install it (Debian, Ubuntu: apt-get install %s; Fedora: dnf install %s; macOS: brew install %s)", string(t), ErrNotInstalled, p, p, p)
}

// inPackage returns the name of the Debian package that contains the tool.
func (t Tool) inPackage() string {
	switch t {
	case Promtool:
		return string(Prometheus)
	case Etcd:
		return "etcd-server"
	}
	return string(t)
}

// Install installs the packages of the tools that [Tool.Path] does not find. It can do so
// as root on a system with apt-get, and starts no service. On other systems the error
// wraps [ErrNotInstalled]. The output of apt-get goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer, tools ...Tool) error {
	missing := func() (names []string, err error) {
		for _, t := range tools {
			if _, without := t.Path(); without != nil {
				names, err = append(names, t.inPackage()), errors.Join(err, without)
			}
		}
		slices.Sort(names)
		return slices.Compact(names), err
	}
	names, err := missing()
	if err == nil {
		return nil
	}
	return throwaway.Program{
		Find:    func() error { _, err := missing(); return err },
		Missing: err,
		Failed:  "not all tools are installed; install them by hand",
		Install: func(packages func(...string) error) error {
			return throwaway.WithoutServices(func() error { return packages(names...) })
		},
	}.Ensure(ctx, log)
}
