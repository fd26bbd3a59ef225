package program

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo terminal: what is written to keyboard is typed
// at screen.
func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	fd := int(keyboard.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	return keyboard, screen
}

func TestTheProgressBarIsForTerminals(t *testing.T) {
	t.Parallel()
	_, screen := openTerminal(t)
	found := (&program{stderr: screen}).progressBar("Seeding")
	found.end()
	if !found.terminal {
		t.Fatal("it does not know the terminal")
	}
	var drawn bytes.Buffer
	bar := newProgressBar(&drawn, "Seeding", true)
	close(bar.ended) // nothing ticks by itself
	for done := range 1001 {
		bar.show(done, 1000)
	}
	bar.end()
	if lines := strings.Count(drawn.String(), "\r"); lines != 101 || !strings.HasSuffix(drawn.String(), "100%\n") {
		t.Errorf("drawn %d times, the last %q; want once for each per cent", lines, drawn.String()[max(0, drawn.Len()-50):])
	}
	away := (&program{stderr: &drawn}).progressBar("Seeding")
	drawn.Reset()
	away.show(1, 2)
	away.end()
	if drawn.Len() > 0 {
		t.Errorf("away from a terminal it draws %q", drawn.String())
	}
}
