package console

import (
	"bytes"
	"strings"
	"testing"

	"trestle.example/internal/testserver/pty"
)

func TestTheProgressBarIsForTerminals(t *testing.T) {
	t.Parallel()
	_, screen := pty.Open(t)
	found := (Console{Err: screen}).StartBar("Seeding")
	found.End()
	if !found.terminal {
		t.Fatal("it does not know the terminal")
	}
	var drawn bytes.Buffer
	bar := newBar(&drawn, "Seeding", true)
	close(bar.ended) // nothing ticks by itself
	for done := range 1001 {
		bar.Show(done, 1000)
	}
	bar.End()
	if lines := strings.Count(drawn.String(), "\r"); lines != 101 || !strings.HasSuffix(drawn.String(), "100%\n") {
		t.Errorf("drawn %d times, the last %q; want once for each per cent", lines, drawn.String()[max(0, drawn.Len()-50):])
	}
	away := (Console{Err: &drawn}).StartBar("Seeding")
	drawn.Reset()
	away.Show(1, 2)
	away.End()
	if drawn.Len() > 0 {
		t.Errorf("away from a terminal it draws %q", drawn.String())
	}
}
