package main

import (
	"fmt"
	"io"
	"strings"
)

// A progressBar shows how far a long work is, at a terminal only. It is drawn
// when its percentage changes.
type progressBar struct {
	out     io.Writer // nil away from a terminal
	what    string
	percent int
	drawn   bool
}

func (p *program) progressBar(what string) *progressBar {
	bar := &progressBar{what: what, percent: -1}
	if _, ok := terminal(p.stderr); ok {
		bar.out = p.stderr
	}
	return bar
}

const barWidth = 30

func (b *progressBar) show(done, total int) {
	percent := 100
	if total > 0 {
		percent = 100 * done / total
	}
	if b.out == nil || percent == b.percent {
		return
	}
	b.percent, b.drawn = percent, true
	full := barWidth * percent / 100
	fmt.Fprintf(b.out, "\r%s [%s%s] %3d%%", b.what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), percent)
}

// end leaves the bar as it is and begins a new line.
func (b *progressBar) end() {
	if b.drawn {
		fmt.Fprintln(b.out)
	}
}
