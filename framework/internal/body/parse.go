package body

import (
	"errors"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// ErrParsing is the cause of the 503 for a large body that waited longer than parseWait to be
// parsed, or that the queue rejected because more than parseQueue bodies would wait.
var ErrParsing = errors.New("a large body waited too long to be parsed")

// Parse runs fn, which takes time for each byte of a body. If the body is large, Parse first
// waits for a turn, at most parseWait. That time does not count toward the limit of the wait
// for connections. If the wait times out or too many bodies wait, the error is 503 because of
// [ErrParsing]. If the context ends first, the error is that of the context.
func Parse(a *table.Registry, c *call.Call, body []byte, fn func()) error {
	if len(body) > table.SmallBody {
		turn, err := a.Parsing.Acquire(fair.Apart(c, fair.ClientOf(c)))
		switch {
		case errors.Is(err, fair.ErrOverloaded):
			return problem.Overloaded().Because(ErrParsing)
		case err != nil:
			return err
		}
		defer turn.End()
	}
	fn()
	return nil
}
