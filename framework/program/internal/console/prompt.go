package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// Confirm prints a question and reports whether the answer is y or yes, in any case. Every
// other answer counts as no, and so does the end of the input without an answer. If ctx ends
// first, Confirm returns the error of ctx.
func (c Console) Confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(c.Err, question, " [y/N] ")
	answer, err := Await(ctx, func() (string, error) { return readLine(c.In) })
	if err != nil {
		c.Sayf("")
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// maxLine is the most bytes of a line that are read from standard input.
const maxLine = 8 << 10

// readLine reads the first line without its end, at most [maxLine] bytes of it. Without
// input, the line is empty.
func readLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// ReadPassword prompts for a password at a terminal, twice; different answers are an error.
// Elsewhere it reads the first line of standard input. The password may be empty.
func (c Console) ReadPassword(ctx context.Context) (string, error) {
	if fd, ok := terminal(c.In); ok {
		return c.promptPassword(ctx, fd)
	}
	return Await(ctx, func() (string, error) { return readLine(c.In) })
}

// promptPassword prompts for a password twice, and the terminal does not show the answers.
// It hides the input before it prompts, so that a quick answer is hidden too. It restores
// the terminal, also after an interrupt.
func (c Console) promptPassword(ctx context.Context, fd int) (password string, err error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer func() {
		_ = term.Restore(fd, before)
		if errors.Is(err, context.Canceled) {
			c.Sayf("") // the next output begins a new line
		}
	}()
	screen := term.NewTerminal(dialogue{c.In, c.Err}, "")
	first, err := readHidden(ctx, screen, "Password: ")
	if err != nil {
		return "", err
	}
	second, err := readHidden(ctx, screen, "Password again: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ; try again")
	}
	return first, err
}

// A dialogue reads answers from one stream and writes prompts to another.
type dialogue struct {
	io.Reader
	io.Writer
}

// readHidden prompts once. Ctrl-C and Ctrl-D, which a terminal in raw mode sends as
// characters, count as an interrupt.
func readHidden(ctx context.Context, screen *term.Terminal, prompt string) (string, error) {
	text, err := Await(ctx, func() (string, error) { return screen.ReadPassword(prompt) })
	if errors.Is(err, io.EOF) {
		err = context.Canceled
	}
	return text, err
}

// Await returns what read returns, or the error of ctx if ctx ends first. In that case read
// goes on in its goroutine, and its result is discarded.
func Await[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
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
