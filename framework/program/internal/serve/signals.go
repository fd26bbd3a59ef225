package serve

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"trestle.example/framework/program/internal/command"
)

// outliveReaders lets a server go on after the process that reads its output has ended, as
// in "program serve 2>&1 | head -1". Go ends a process that writes to such a standard
// output or error, unless the program subscribes to SIGPIPE. With the subscription the write
// fails, and only its text is lost. The signal is not ignored, because child processes would
// inherit that.
// Other commands end as usual, because no process reads the rest of their output.
func outliveReaders(run *command.Run) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	run.Out = unread{run.Out}
}

// An unread is an output whose reader may end. It discards what is written after that.
type unread struct{ io.Writer }

func (u unread) Write(text []byte) (int, error) {
	n, err := u.Writer.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		return len(text), nil
	}
	return n, err
}

// reloadOnSIGHUP reads the files of the certificate again whenever the process gets SIGHUP,
// until the returned function is called. Until then SIGHUP does not end the server, also if
// the server has no certificate.
func (s *server) reloadOnSIGHUP() (end func()) {
	asked, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-asked:
				s.reload()
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(done)
	}
}

func (s *server) reload() {
	if s.Certificate == nil {
		s.Log.Info("SIGHUP has no effect: the server has no TLS certificate to reload")
		return
	}
	s.Certificate.Reload()
}
