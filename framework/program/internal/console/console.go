// Package console reads from the person at the terminal and writes to them: results,
// messages, progress, questions, tables and JSON.
package console

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// A Console is the streams of a command. Results go to Out, everything else to Err.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
}

// Sayf writes a line to Err.
func (c Console) Sayf(format string, args ...any) {
	fmt.Fprintf(c.Err, format+"\n", args...)
}

// Print writes one line of the result to Out.
func (c Console) Print(line string) error {
	_, err := fmt.Fprintln(c.Out, line)
	return err
}

// AtTerminal reports whether standard input is a terminal.
func (c Console) AtTerminal() bool {
	_, ok := terminal(c.In)
	return ok
}

// ShowsAtTerminal reports whether standard output is a terminal.
func (c Console) ShowsAtTerminal() bool {
	_, ok := terminal(c.Out)
	return ok
}

// terminal reports whether a stream is a terminal, and returns its descriptor.
func terminal(stream any) (int, bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// A lockedWriter lets several goroutines write.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements [io.Writer].
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// Lock returns a writer that several goroutines may use. A file is returned as it is.
func Lock(w io.Writer) io.Writer {
	if _, isFile := w.(*os.File); isFile {
		return w
	}
	return &lockedWriter{to: w}
}
