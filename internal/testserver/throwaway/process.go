package throwaway

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
)

// A Process is a keeper: a small shell program that starts a server, prints
// one line when the server accepts connections, and ends both the server and
// itself when its standard input closes. The system closes that however this
// process ends, kill -9 included, so no server is left behind.
type Process struct {
	stdin  io.WriteCloser
	stdout io.Reader
	output *tail
	done   chan struct{} // closed when the keeper has ended
	err    error         // how it ended; read after done
	stop   sync.Once
}

// The scripts before a keeper's own: what all have, and what those of services have.
var (
	//go:embed keeper.sh
	prelude string
	//go:embed service.sh
	service string
)

// Keeper is the command that runs a keeper's script, which finds the password and a
// folder, and says how its server is started and stopped. It takes no context:
// ending the keeper by force is the one thing that could leave a server behind.
func Keeper(script string, args ...string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", append([]string{"-c", prelude + script, "keeper"}, args...)...) //nolint:noctx // see above
	cmd.Dir = "/"
	return cmd
}

// ServiceKeeper is Keeper for a service with a log, whose script says only how it is
// set up and run.
func ServiceKeeper(script string, args ...string) *exec.Cmd { return Keeper(service+script, args...) }

// Launch starts a keeper and writes the password, its first line of input.
// What it prints as errors goes to log, written by one goroutine.
func Launch(cmd *exec.Cmd, password string, log io.Writer) (*Process, error) {
	p := &Process{output: &tail{}, done: make(chan struct{})}
	cmd.Stderr = io.MultiWriter(p.output, log)

	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	ready, stdout := io.Pipe()
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.stdout = stdin, ready
	go func() { // refers to p, so that a server whose URL alone is kept lives on
		p.err = cmd.Wait()
		stdout.Close()
		close(p.done)
	}()
	if _, err := io.WriteString(stdin, password+"\n"); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// Ready waits for the keeper's one line, the server's folder.
func (p *Process) Ready(ctx context.Context) (dir string, err error) {
	line := make(chan string, 1)
	go func() {
		first, _ := bufio.NewReader(p.stdout).ReadString('\n')
		line <- strings.TrimSpace(first)
	}()
	select {
	case dir = <-line:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if dir == "" {
		return "", errors.New("the server did not start")
	}
	return dir, nil
}

// Order sends the keeper a line that its script understands. It does not wait for
// what comes of it.
func (p *Process) Order(line string) error {
	_, err := io.WriteString(p.stdin, line+"\n")
	return err
}

// Stop ends the server and waits until it and its folder are gone; calling it
// again does nothing more. The error, if any, carries the last lines printed.
func (p *Process) Stop() error {
	p.stop.Do(func() { _ = p.stdin.Close() }) // fails only if the keeper has gone, which done tells
	<-p.done
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("the server's keeper ended with %w: %s", p.err, cmp.Or(p.output.String(), "it printed nothing"))
}

// FreePort is a port of 127.0.0.1 that nothing listened on a moment ago.
func FreePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
