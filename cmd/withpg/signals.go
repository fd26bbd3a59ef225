package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// signals receives the signals that would end this process, and keeps them for the command.
type signals struct {
	received chan os.Signal
	terminal bool
}

func catch() *signals {
	s := &signals{received: make(chan os.Signal, 8), terminal: term.IsTerminal(int(os.Stdin.Fd()))}
	signal.Notify(s.received, requestsToEnd()...)
	return s
}

func requestsToEnd() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
}

func (s *signals) stop() { signal.Stop(s.received) }

// forwardTo passes the signals on to the command until the returned function is called. It
// skips those that the command already has from the terminal.
func (s *signals) forwardTo(command *os.Process) (end func()) {
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-s.received:
				if !s.alreadySent(sig) {
					_ = command.Signal(sig) // fails only when the command has just ended
				}
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit) }
}

// alreadySent reports whether the command has the signal from the terminal already: Ctrl-C and
// Ctrl-\ at a terminal go to every process in the foreground. Many programs end without
// cleaning up at a second signal.
func (s *signals) alreadySent(sig os.Signal) bool {
	return s.terminal && (sig == os.Interrupt || sig == syscall.SIGQUIT)
}

// exitCode returns the exit code of a process, or 128 plus the number of the signal that ended
// it, as a shell does.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return state.ExitCode()
}
