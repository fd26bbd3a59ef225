package console

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terminal bool
		do       func(b *Bar, after func(time.Duration))
		want     string
	}{
		"in a pipe, with a known total": {false, func(b *Bar, after func(time.Duration)) {
			b.Show(1, 4)
			after(5 * time.Second)
			b.Show(3, 4)
			after(10 * time.Second)
		}, "Seeding: 25% after 5s\nSeeding: 75% after 10s\n"},
		"in a pipe, without a total": {false, func(b *Bar, after func(time.Duration)) {
			after(5 * time.Second)
			b.Sayf("Applied %s.", "one")
			after(10 * time.Second)
		}, "Seeding: 5s so far\nApplied one.\nSeeding: 10s so far\n"},
		"in a pipe, done before the first line": {false, func(b *Bar, _ func(time.Duration)) { b.Show(4, 4) }, ""},
		"at a terminal, without a total": {true, func(b *Bar, after func(time.Duration)) {
			after(time.Second)
			after(2 * time.Second)
		}, "\rSeeding: 1s\rSeeding: 2s\n"},
		"at a terminal, with a total": {true, func(b *Bar, after func(time.Duration)) {
			b.Show(1, 2)
			after(time.Second)
			b.Sayf("Applied one.")
			b.Show(2, 2)
		}, "\rSeeding [###############               ]  50%\nApplied one.\n\rSeeding [##############################] 100%\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			b := newBar(&out, "Seeding", c.terminal)
			close(b.ended) // nothing ticks by itself
			c.do(b, func(d time.Duration) { b.tick(b.began.Add(d)) })
			b.End()
			if out.String() != c.want {
				t.Errorf("it shows %q; want %q", out.String(), c.want)
			}
		})
	}
}
