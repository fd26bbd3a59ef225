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

// A Process is a keeper: a small shell program that starts a server, prints one line when
// the server accepts connections, and ends both the server and itself when its standard
// input closes. The system closes it when this process ends in any way, even after kill
// -9, so no server is left behind.
type Process struct {
	stdin  io.WriteCloser
	stdout io.Reader
	output *tail
	done   chan struct{} // closed when the keeper has ended
	err    error         // the result of the keeper; read after done
	stop   sync.Once
}

// The scripts before the script of a keeper: prelude for all, and service for services.
var (
	//go:embed keeper.sh
	prelude string
	//go:embed service.sh
	service string
)

// Keeper returns the command that runs the script of a keeper. The script finds the
// password and a folder, and states how its server is started and stopped. The command
// has no context, because killing the keeper could leave a server behind.
func Keeper(script string, args ...string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", append([]string{"-c", prelude + script, "keeper"}, args...)...) //nolint:noctx // see above
	cmd.Dir = "/"
	return cmd
}

// ServiceKeeper is Keeper for a service with a log. Its script states only how the
// service is set up and run.
func ServiceKeeper(script string, args ...string) *exec.Cmd { return Keeper(service+script, args...) }

// Launch starts a keeper and writes the password, its first line of input. One goroutine
// writes its standard error to log.
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
	go func() { // refers to p, so that the server lives as long as the process even if only its URL is kept
		p.err = cmd.Wait()
		stdout.Close()
		close(p.done)
	}()
	if _, err := io.WriteString(stdin, password+"\n"); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// Ready waits for the one line of the keeper and returns it: the folder of the server.
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

// Order sends the keeper a line that its script understands. It does not wait for the
// result.
func (p *Process) Order(line string) error {
	_, err := io.WriteString(p.stdin, line+"\n")
	return err
}

// Stop ends the server and waits until its process has ended and its folder is deleted. A second call does
// nothing. An error contains the last printed lines.
func (p *Process) Stop() error {
	p.stop.Do(func() { _ = p.stdin.Close() }) // fails only if the keeper has ended, which done reports
	<-p.done
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("the server's keeper ended with %w: %s", p.err, cmp.Or(p.output.String(), "it printed nothing"))
}

// FreePort returns a port of 127.0.0.1 on which nothing listened a moment ago.
func FreePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
