package stream

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/wire"
)

// An encoder writes the elements of a stream. It is safe for concurrent use.
type encoder interface {
	// head appends what comes before the first element.
	head(b []byte) []byte
	// element appends an element.
	element(b []byte, value any) ([]byte, error)
	// failure appends what ends a stream that failed: the error as JSON. closes reports whether
	// every client knows by this that the stream has failed, so that the connection may stay
	// open. Otherwise the connection must be closed.
	failure(b, problem []byte) (_ []byte, closes bool)
}

// A Hider removes the members that the caller may not see from the elements of a stream. A nil Hider
// removes none.
type Hider interface {
	// Drop returns the JSON of an element without the hidden members.
	Drop(text []byte) ([]byte, error)
	// Drops reports whether a member of an element is hidden.
	Drops(name string) bool
}

// encodeShown writes an element as JSON without its hidden members.
func encodeShown(value any, hidden Hider) ([]byte, error) {
	text, err := wire.Encode(value)
	if err != nil || hidden == nil {
		return text, err
	}
	return hidden.Drop(text)
}

// ndjson writes each element as JSON on one line.
type ndjson struct {
	hidden Hider
	names  *wire.Names
}

func (ndjson) head(b []byte) []byte { return b }

func (n ndjson) element(b []byte, value any) ([]byte, error) {
	text, err := encodeLine(value, n.hidden, n.names)
	if err != nil {
		return b, err
	}
	return append(append(b, text...), '\n'), nil
}

func (ndjson) failure(b, problem []byte) ([]byte, bool) {
	return append(append(b, problem...), '\n'), false
}

// encodeLine writes a value as JSON without line breaks. JSON that the program made itself may
// have some between its tokens. Members have the given names, and hidden ones are left out.
func encodeLine(value any, hidden Hider, names *wire.Names) ([]byte, error) {
	text, err := encodeShown(value, hidden)
	if err == nil {
		text, err = names.Rename(text)
	}
	if err != nil || !bytes.ContainsAny(text, "\r\n") {
		return text, err
	}
	line := jsontext.Value(bytes.Clone(text))
	if err := line.Compact(); err != nil {
		return nil, err
	}
	return line, nil
}

// An Identified is an element of a stream with an id. A browser that reconnects to an event
// stream sends the id of the last event in the header Last-Event-ID.
type Identified interface {
	// EventID returns the id, "" for none. It has no line break and no NUL.
	EventID() string
}

// A Named is an element of a stream with the name of its event, by which pages listen.
type Named interface {
	// EventName returns the name, "" for "message". It has no line break and no NUL.
	EventName() string
}

// events writes each element as an event whose data is JSON.
type events struct {
	hidden Hider
	names  *wire.Names
}

// heartbeat is a comment, which clients ignore.
const heartbeat = ":\n\n"

func (events) head(b []byte) []byte { return b }

func (e events) element(b []byte, value any) ([]byte, error) {
	text, err := encodeLine(value, e.hidden, e.names)
	if err != nil {
		return b, err
	}
	if named, ok := value.(Named); ok {
		if b, err = appendField(b, "event", named.EventName()); err != nil {
			return b, err
		}
	}
	if identified, ok := value.(Identified); ok {
		if b, err = appendField(b, "id", identified.EventID()); err != nil {
			return b, err
		}
	}
	return appendData(b, text), nil
}

func (events) failure(b, problem []byte) ([]byte, bool) {
	return appendData(append(b, "event: error\n"...), problem), true
}

func appendData(b, text []byte) []byte {
	return append(append(append(b, "data: "...), text...), "\n\n"...)
}

// appendField appends a field of an event, unless its value is empty.
func appendField(b []byte, name, value string) ([]byte, error) {
	switch {
	case value == "":
		return b, nil
	case strings.ContainsAny(value, "\r\n\x00"):
		return b, fmt.Errorf("the %s %q of an event has a line break or a NUL", name, value)
	}
	return append(append(append(append(b, name...), ": "...), value...), '\n'), nil
}
