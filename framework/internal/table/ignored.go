package table

import (
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
)

const notesKept = 16

// Ignores decides what happens to a part of a request that has no effect. If the resource is
// lenient, Ignores adds the note to the header Trestle-Ignored and returns true. If the
// resource is strict, it only returns false, and the caller must reject the request.
func (r *Resource) Ignores(c *call.Call, note string) bool {
	if r.Strict {
		return false
	}
	p := state.Of(c).Progress
	p.Ignored = append(p.Ignored, note)
	return true
}

// IgnoredName is the note of a parameter or field, percent-encoded so that it is safe in a
// header, with the nearest known name unless that is empty.
func IgnoredName(name, near string) string {
	text := naming.HeaderText(name)
	if near != "" {
		text += "; did you mean " + naming.HeaderText(near) + "?"
	}
	return text
}

// IgnoredHeader is the note of a header. The space after "header" distinguishes the note from
// the name of a parameter or a field, in which spaces are encoded.
func IgnoredHeader(name string) string { return "header " + name }

// IgnoredValue is the value of the header Trestle-Ignored: the notes, separated by commas. It
// lists the first 16 notes; "..." stands for the rest. It is empty without notes.
func IgnoredValue(c *call.Call) string {
	notes := state.Of(c).Progress.Ignored
	if len(notes) <= notesKept {
		return strings.Join(notes, ", ")
	}
	return strings.Join(notes[:notesKept], ", ") + ", ..."
}
