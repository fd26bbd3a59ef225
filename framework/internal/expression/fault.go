package expression

import "fmt"

// A Fault is a mistake in an expression.
type Fault struct {
	At   int    // the place of its first character, from 1; 0 for the whole expression
	What string // a sentence about it, without the place
}

// around is the number of characters that an excerpt shows before and after a place.
const around = 20

// Detail returns the sentence with the place, and with an excerpt of the expression in which ^ stands before the place.
func (f *Fault) Detail(text string) string {
	if f.At == 0 {
		return f.What
	}
	all := []rune(text)
	at := min(f.At-1, len(all))
	from, to := max(0, at-around), min(len(all), at+around)
	before, after := string(all[from:at]), string(all[at:to])
	if from > 0 {
		before = "…" + before
	}
	if to < len(all) {
		after += "…"
	}
	return fmt.Sprintf("%s (character %d: %s^%s)", f.What, f.At, before, after)
}

func faultAt(at int, format string, args ...any) *Fault {
	return &Fault{At: at, What: fmt.Sprintf(format, args...)}
}
