// Package ignored notes the parts of a request that have no effect: for the header Trestle-Ignored, and for the errors of
// values that are missing.
package ignored

import (
	"errors"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/problem"
)

const most = 16 // notes in the header

// Name is the note of a parameter or field, percent-encoded so that it is safe in a
// header, with the nearest known name unless that is empty.
func Name(name, near string) string {
	text := naming.HeaderText(name)
	if near != "" {
		text += "; did you mean " + naming.HeaderText(near) + "?"
	}
	return text
}

// Header is the note of a header. The space after "header" distinguishes the note from
// the name of a parameter or a field, in which spaces are encoded.
func Header(name string) string { return "header " + name }

// Value is the value of the header Trestle-Ignored: the notes, separated by commas. It
// lists the first 16 notes; "..." stands for the rest. It is empty without notes.
func Value(c *call.Call) string {
	notes := state.Of(c).Progress.Ignored
	if len(notes) <= most {
		return strings.Join(notes, ", ")
	}
	return strings.Join(notes[:most], ", ") + ", ..."
}

// Suggest adds to each fault of a function that misses a value the ignored member of the body that the client probably
// meant. It leaves other errors as they are. The pointers lead from the top of the body.
func Suggest(c *call.Call, err error) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	notes := state.Of(c).Progress.Ignored
	if !ok || len(notes) == 0 {
		return err
	}
	completed := *refusal
	completed.Faults = slices.Clone(refusal.Faults)
	changed := false
	for i, f := range completed.Faults {
		meant := Name("", f.Pointer)
		at := slices.IndexFunc(notes, func(note string) bool { return strings.HasSuffix(note, meant) })
		// The body has a member that is blank, and the fault of a misspelt one has the end already.
		if f.Code != "required" || f.Pointer == "" || at < 0 || f.Detail == "must not be blank" || strings.HasSuffix(f.Detail, "?") {
			continue
		}
		changed = true
		completed.Faults[i].Detail = strings.TrimSuffix(f.Detail, ".") + naming.Misplaced(strings.TrimSuffix(notes[at], meant), f.Pointer)
	}
	if !changed {
		return err
	}
	return completed.Because(err)
}
