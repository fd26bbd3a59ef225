// Package programtest runs a program in its tests: its commands, its server, and a browser that uses the console.
//
//	func TestConsole(t *testing.T) {
//		env := []string{"DATABASE_URL=" + frameworktest.PostgresURL(t)}
//		programtest.Run(t, library(), env, "migrate up")
//		b := programtest.NewBrowser(t, programtest.Serve(t, library(), env))
//		b.Get("/admin/books/").Expect(t, 200)
//	}
package programtest

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/program"
)

// Run runs a command to its end, such as "migrate up", and returns what it printed. The words of the command are separated by
// spaces. env has the form of [os.Environ]; variables of the process do not reach the command. An exit code other than 0 fails the
// test at once.
func Run(tb testing.TB, p program.Program, env []string, command string) (printed string) {
	tb.Helper()
	var out strings.Builder
	if code := program.Run(tb.Context(), p, strings.Fields(command), env, strings.NewReader(""), &out, &out); code != 0 {
		tb.Fatalf("the command %s ends with %d: %s", command, code, out.String())
	}
	return out.String()
}

var address = regexp.MustCompile(`https?://[^/\s]+`)

// Serve runs the command serve on a free port of 127.0.0.1 until the test ends, and returns the URL that it prints, "http://127.0.0.1:41234".
// It returns when the server accepts requests. env is as in [Run]. A server that does not start fails the test at once.
func Serve(tb testing.TB, p program.Program, env []string) (url string) {
	tb.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	printed, out := io.Pipe()
	var log strings.Builder
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code := program.Run(ctx, p, []string{"serve", "--addr", "127.0.0.1:0"}, env, strings.NewReader(""), out, &log)
		if _ = out.Close(); code != 0 {
			tb.Errorf("the server ends with %d: %s", code, log.String())
		}
	}()
	tb.Cleanup(func() { stop(); <-ended })
	lines := bufio.NewScanner(printed)
	for url == "" && lines.Scan() {
		url = address.FindString(lines.Text())
	}
	if url == "" {
		<-ended
		tb.FailNow() // the server has reported its error
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }()
	return url
}
