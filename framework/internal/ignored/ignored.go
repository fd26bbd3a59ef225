// Package ignored writes the header Trestle-Ignored: notes of the parts of a request that have no effect.
package ignored

import (
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
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
