package stream

import (
	"fmt"
	"mime"
	"slices"
	"strings"
)

// A Media is a media type of an answer, such as "application/pdf".
type Media string

// The media types of a stream.
const (
	// NDJSON has one JSON value on each line.
	NDJSON Media = "application/x-ndjson"
	// CSV is RFC 4180 in UTF-8, with a header row. Text that a spreadsheet would run as a formula
	// begins with an apostrophe.
	CSV Media = "text/csv"
	// ExactCSV is CSV in which all text is as it is stored, for programs and not for spreadsheets.
	ExactCSV Media = "text/csv; formulas=exact"
	// EventStream is server-sent events, as the HTML standard of WHATWG defines them.
	EventStream Media = "text/event-stream"
)

// streamable lists the media types of a stream, in the order in which mistakes list them.
var streamable = []Media{NDJSON, CSV, ExactCSV, EventStream}

// A Format is one declared media type of an endpoint.
type Format struct {
	media   string              // "text/csv"
	params  map[string]string   // of the header Content-Type
	encoder func(Hider) encoder // nil for bytes
	events  bool                // it is an event stream
}

// Media is the media type without parameters: "text/csv".
func (f *Format) Media() string { return f.media }

// NewFormat is the format of rows of one of the media types of a stream, or of "application/json".
func NewFormat(m Media) *Format {
	f, _ := parseFormat(m) // the constants are valid
	f.params = nil
	switch m {
	case CSV, ExactCSV:
		f.params = map[string]string{"header": "present", "charset": "utf-8"}
	case EventStream:
		f.params = map[string]string{"charset": "utf-8"}
	}
	return f
}

// Preferred is the format that a client prefers by its headers Accept, the first of several with the same
// weight; nil if it accepts none. Without a header it is the first format.
func Preferred(accept []string, formats []*Format) *Format { return choose(accept, formats) }

// contentType is the value of the header Content-Type.
func (f *Format) contentType() string { return mime.FormatMediaType(f.media, f.params) }

// parseFormat reads a declared media type. It must be one type, not a range such as "image/*".
func parseFormat(m Media) (*Format, error) {
	media, params, err := mime.ParseMediaType(string(m))
	if err != nil {
		return nil, fmt.Errorf("it is not a media type (%w)", err)
	}
	kind, subtype, found := strings.Cut(media, "/")
	if !found || kind == "" || subtype == "" || strings.Contains(media, "*") {
		return nil, fmt.Errorf("it is not one media type, such as %q", "application/pdf")
	}
	return &Format{media: media, params: params}, nil
}

// mediaNames returns media types as text.
func mediaNames(all []Media) []string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = string(m)
	}
	return slices.Compact(names)
}
