package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A Bar shows on standard error how much of a long task is done. At a terminal it is a
// bar, or the time that passed if the amount of work is unknown. Elsewhere it is a line
// every 5 seconds, so that the log of a scheduled job shows progress. A shorter task
// shows no line.
type Bar struct {
	task     string
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

// StartBar starts to show a task. The caller must call End.
func (c Console) StartBar(task string) *Bar {
	_, atTerminal := terminal(c.Err)
	every := lineEvery
	if atTerminal {
		every = drawEvery
	}
	b := newBar(c.Err, task, atTerminal)
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

func newBar(out io.Writer, task string, atTerminal bool) *Bar {
	return &Bar{
		task: task, terminal: atTerminal, began: time.Now(), ending: make(chan struct{}), ended: make(chan struct{}), out: out, percent: -1,
	}
}

const barWidth = 30

// Show stores how much of the task is done. At a terminal it draws the bar when the
// percentage changes. If total is 0, the task counts as done.
func (b *Bar) Show(done, total int) {
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
		fmt.Fprintf(b.out, "\r%s [%s%s] %3d%%", b.task, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), percent)
	}
}

// tick shows the time that the task has taken. At a terminal it draws the time while the
// percentage is unknown, and then nothing. Elsewhere it writes a line with the time, and
// with the percentage if that is known.
func (b *Bar) tick(now time.Time) {
	took := now.Sub(b.began).Round(time.Second)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.terminal && b.percent >= 0:
		fmt.Fprintf(b.out, "%s: %d%% after %s\n", b.task, b.percent, took)
	case !b.terminal:
		fmt.Fprintf(b.out, "%s: %s so far\n", b.task, took)
	case b.percent < 0:
		b.drawn = true
		fmt.Fprintf(b.out, "\r%s: %s", b.task, took)
	}
}

// Sayf writes a line below the bar, if one was drawn. The next bar is drawn below the line.
func (b *Bar) Sayf(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newLine()
	fmt.Fprintf(b.out, format+"\n", args...)
}

// newLine begins a new line below the bar, if a bar was drawn.
func (b *Bar) newLine() {
	if b.drawn {
		fmt.Fprintln(b.out)
	}
	b.drawn = false
}

// End leaves the bar as it is and begins a new line below it, if one was drawn. It must be
// called once.
func (b *Bar) End() {
	close(b.ending)
	<-b.ended
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newLine()
}
