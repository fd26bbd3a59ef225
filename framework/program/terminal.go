package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal reports whether a stream is one, and its descriptor.
func terminal(stream any) (int, bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// confirm asks a question that only yes answers.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(p.stderr, question, " [y/N] ")
	answer, err := wait(ctx, func() (string, error) { return readLine(p.stdin) })
	if err != nil {
		p.sayf("")
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// maxLine bounds what is read of standard input, in bytes.
const maxLine = 8 << 10

// readLine reads the first line without its end. Input that ends early is an
// empty line.
func readLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// askPassword asks twice, without showing what is typed. The terminal is set
// before the question appears, so that nothing of a quick answer is shown, and
// is left as it was, after an interrupt too.
func (p *program) askPassword(ctx context.Context, fd int) (password string, err error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer func() {
		_ = term.Restore(fd, before)
		if errors.Is(err, context.Canceled) {
			p.sayf("") // what follows is not a part of the question
		}
	}()
	screen := term.NewTerminal(dialogue{p.stdin, p.stderr}, "")
	first, err := askHidden(ctx, screen, "Password: ")
	if err != nil {
		return "", err
	}
	second, err := askHidden(ctx, screen, "Password again: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ; try again")
	}
	return first, err
}

// A dialogue reads answers from one stream and writes questions to another.
type dialogue struct {
	io.Reader
	io.Writer
}

// askHidden takes Ctrl-C and Ctrl-D, which the terminal passes on as
// characters now, for an interrupt.
func askHidden(ctx context.Context, screen *term.Terminal, prompt string) (string, error) {
	text, err := wait(ctx, func() (string, error) { return screen.ReadPassword(prompt) })
	if errors.Is(err, io.EOF) {
		err = context.Canceled
	}
	return text, err
}

// wait is a read that ends with ctx. What goes on reading then ends with the
// process.
func wait[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
	type answer struct {
		read T
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		v, err := read()
		answers <- answer{v, err}
	}()
	select {
	case a := <-answers:
		return a.read, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
