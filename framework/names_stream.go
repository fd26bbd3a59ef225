package framework

import "trestle.example/framework/internal/stream"

// A Media is a media type of an answer that is sent in parts, such as "application/pdf".
// [Action.As] declares it.
type Media = stream.Media

// The media types of a stream.
const (
	// NDJSON has one JSON value on each line, with a line feed at its end.
	NDJSON = stream.NDJSON
	// CSV is text/csv in UTF-8 (RFC 4180). The header row has the JSON names of T, a struct of plain
	// fields; a nested field is a mistake at start. null is an empty cell. Text that a spreadsheet
	// would run as a formula, because it begins with =, +, -, @, a tab or a line break, begins with
	// an apostrophe. A number as text is left as it is.
	CSV = stream.CSV
	// ExactCSV is CSV in which all text is as it is stored. It is for programs: text of a client
	// may run as a formula if a person opens the file in a spreadsheet.
	ExactCSV = stream.ExactCSV
	// EventStream is text/event-stream, as the HTML standard of WHATWG defines it. The data of an
	// event is JSON. An element that is an [Identified] or a [Named] has an id or a name.
	EventStream = stream.EventStream
)

// An Identified is an element of a stream whose event has an id, for [Call.LastEventID].
type Identified interface {
	// EventID returns the id, "" for none. It has no line break and no NUL.
	EventID() string
}

// A Named is an element of a stream whose event has a name, by which pages listen.
type Named interface {
	// EventName returns the name, "" for "message". It has no line break and no NUL.
	EventName() string
}

// The engine recognises the interfaces of elements by interfaces of its own.
var (
	_ stream.Identified = Identified(nil)
	_ stream.Named      = Named(nil)
)

// Content is an answer of bytes, such as a file or an image. The function of an action returns
// it; [Action.As] declares its media types, and at least one is needed. It has these fields:
//
//	Body    io.Reader       // closed if it is an io.Closer; parts of an io.ReadSeeker can be requested
//	Media   framework.Media // one of the declared types; defaults to the one that Accept chose
//	Name    string          // the file name for the client, which saves the answer; defaults to none
//	Inline  bool            // a browser may show the answer although it has a Name
//	Length  int64           // the number of bytes of the Body, not needed for an io.ReadSeeker; defaults to unknown
//	ModTime time.Time       // for If-Modified-Since, If-Unmodified-Since and If-Range; defaults to none
//	ETag    string          // with its quotes, for If-Match, If-None-Match and If-Range; defaults to none
//
// A GET of an io.ReadSeeker with status 200 serves ranges and conditional requests (RFC 9110, sections 13 and
// 14). An error of the first read is an error of the API; a later one closes the connection.
// Cache-Control is no-store, unless the function sets another value.
type Content = stream.Content
