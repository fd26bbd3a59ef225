package program

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A progressBar shows on standard error how far a long work is. At a terminal it is a
// bar, or the time that passed if the amount of work is unknown. Elsewhere it is
// a line every 5 seconds, so that the log of a scheduled job shows that it goes on.
// Work that is done sooner shows no line.
type progressBar struct {
	what     string
	terminal bool
	began    time.Time
	ending   chan struct{}
	ended    chan struct{}

	mu      sync.Mutex
	out     io.Writer
	percent int // -1 while it is unknown
	drawn   bool
}

const (
	lineEvery = 5 * time.Second
	drawEvery = time.Second
)

// progressBar begins to show a work; end must be called.
func (p *program) progressBar(what string) *progressBar {
	_, atTerminal := terminal(p.stderr)
	every := lineEvery
	if atTerminal {
		every = drawEvery
	}
	b := newProgressBar(p.stderr, what, atTerminal)
	ticker := time.NewTicker(every)
	go func() {
		defer close(b.ended)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				b.tick(now)
			case <-b.ending:
				return
			}
		}
	}()
	return b
}

func newProgressBar(out io.Writer, what string, atTerminal bool) *progressBar {
	return &progressBar{
		what: what, terminal: atTerminal, began: time.Now(), ending: make(chan struct{}), ended: make(chan struct{}), out: out, percent: -1,
	}
}

const barWidth = 30

// show notes how much of the work is done. At a terminal the bar is drawn when its
// percentage changes.
func (b *progressBar) show(done, total int) {
	percent := 100
	if total > 0 {
		percent = 100 * done / total
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if percent == b.percent {
		return
	}
	b.percent = percent
	if b.terminal {
		b.drawn = true
		full := barWidth * percent / 100
		fmt.Fprintf(b.out, "\r%s [%s%s] %3d%%", b.what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), percent)
	}
}

// tick shows how long the work has taken.
func (b *progressBar) tick(now time.Time) {
	took := now.Sub(b.began).Round(time.Second)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.terminal && b.percent >= 0:
		fmt.Fprintf(b.out, "%s: %d%% after %s\n", b.what, b.percent, took)
	case !b.terminal:
		fmt.Fprintf(b.out, "%s: %s so far\n", b.what, took)
	case b.percent < 0:
		b.drawn = true
		fmt.Fprintf(b.out, "\r%s: %s", b.what, took)
	}
}

// sayf writes a line for the person at the terminal, above the bar.
func (b *progressBar) sayf(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newLine()
	fmt.Fprintf(b.out, format+"\n", args...)
}

// newLine leaves what was drawn as it is.
func (b *progressBar) newLine() {
	if b.drawn {
		fmt.Fprintln(b.out)
	}
	b.drawn = false
}

// end stops showing, leaves the bar as it is and begins a new line.
func (b *progressBar) end() {
	close(b.ending)
	<-b.ended
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newLine()
}

// A lockedWriter lets a progress bar write beside its work.
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

// shared is a writer for several goroutines; a file is one by itself.
func shared(w io.Writer) io.Writer {
	if _, isFile := w.(*os.File); isFile {
		return w
	}
	return &lockedWriter{to: w}
}
