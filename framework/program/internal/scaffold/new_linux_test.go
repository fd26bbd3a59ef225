package scaffold

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/internal/testserver/pty"
)

// TestNewShowsThatItDownloads: go mod tidy may take minutes on a new machine. The go of this test
// waits until the terminal shows progress, or for 10 s.
func TestNewShowsThatItDownloads(t *testing.T) {
	programs := t.TempDir()
	shown := filepath.Join(programs, "shown")
	if err := syscall.Mkfifo(shown, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(programs, "go"), []byte("#!/bin/sh\ntimeout 10 cat "+shown+"\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	keyboard, screen := pty.Open(t)
	c := NewNewCommand(&command.Run{Console: console.Console{Out: io.Discard, Err: screen}})
	c.SetArgs([]string{filepath.Join(t.TempDir(), "shop"), "--framework", "../../../.."})
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(t.Context()) }()

	text := ""
	for buffer := make([]byte, 256); !strings.Contains(text, "Downloading packages: ") && !strings.Contains(text, "Next:"); {
		n, err := keyboard.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		text += string(buffer[:n])
	}
	if strings.Contains(text, "Next:") {
		t.Fatalf("the terminal shows %q; want the progress before the end", text)
	}
	if err := os.WriteFile(shown, []byte("yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
