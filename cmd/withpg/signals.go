package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// signals holds back the requests to end this process, for the command to act on.
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

// forwardTo passes the signals on to the command until the function returned is
// called.
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

// alreadySent reports that the command has the signal from the terminal, whose
// Ctrl-C and Ctrl-\ go to every process in the foreground: many programs take a
// second one as an order to give up cleaning up.
func (s *signals) alreadySent(sig os.Signal) bool {
	return s.terminal && (sig == os.Interrupt || sig == syscall.SIGQUIT)
}

// exitCode is the shell's: 128 plus the signal that ended a process.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return state.ExitCode()
}
