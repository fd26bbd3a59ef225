package main

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestFirstSuperuserInABrowser: a browser sends the form of the link as the server expects it, and no address that the browser keeps
// has the token.
func TestFirstSuperuserInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	t.Parallel()
	program, database := buildProgram(t), sqliteURL(t)
	seeded := startProgram(t, program, database)
	if err := seeded.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := seeded.wait(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(seeded.before, "~first") {
		t.Errorf("the demo has a superuser, and the server prints a link: %s", seeded.before)
	}
	disable := exec.Command(program, "user", "disable", "--email", "admin@example.com")
	disable.Env = []string{"DATABASE_URL=" + database}
	if output, err := disable.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	s := startProgram(t, program, database)
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/admin/~first/\S+`).FindString(s.before)
	if link == "" {
		t.Fatalf("the server prints no link: %s", s.before)
	}
	b := openTab(t)
	b.visit(strings.Replace(link, "127.0.0.1", publicHost, 1), "#field-email")
	if at := read[string](b, "location.pathname + document.referrer"); at != "/admin/~first" {
		t.Errorf("the form is at %s", at)
	}
	b.enter("#field-email", "boss@example.com")
	b.enter("#field-password", "four unrelated words walk")
	b.shows("the form of the first superuser")
	b.click(".entry button")
	b.sees(".menu")
	if at := read[string](b, "location.pathname"); at != "/admin/" {
		t.Errorf("the superuser comes to %s", at)
	}
}
