package stream

import (
	"mime"
	"strconv"
	"strings"
)

// A mediaRange is one element of a header Accept: "text/*;q=0.5".
type mediaRange struct {
	kind, subtype string // "*" for any
	params        map[string]string
	weight        float64
}

// choose returns the format that a client prefers by its headers Accept (RFC 9110, section
// 12.5.1), nil if it accepts none. Of several with the same weight, it is the first. Without a
// header, or with an empty one, it is the first format.
func choose(accept []string, formats []*Format) *Format {
	header := strings.Join(accept, ",")
	if strings.Trim(header, " \t,") == "" {
		return formats[0]
	}
	var ranges []mediaRange
	for _, element := range splitList(header) {
		if r, ok := parseRange(element); ok {
			ranges = append(ranges, r)
		}
	}
	var best *Format
	most := 0.0
	for _, f := range formats {
		if weight := weigh(ranges, f); weight > most {
			best, most = f, weight
		}
	}
	return best
}

// weigh returns the weight of the most specific range that includes a format, 0 if none does.
func weigh(ranges []mediaRange, f *Format) (weight float64) {
	nearest := -1
	for _, r := range ranges {
		if specific, ok := r.includes(f); ok && specific > nearest {
			nearest, weight = specific, r.weight
		}
	}
	return weight
}

// includes reports whether a format is in the range, and how specific the range is: 0 for "*/*",
// 1 for "text/*", 2 for "text/csv", and one more for each parameter.
func (r mediaRange) includes(f *Format) (specific int, ok bool) {
	kind, subtype, _ := strings.Cut(f.media, "/")
	switch {
	case r.kind == "*":
	case r.kind != kind || r.subtype != "*" && r.subtype != subtype:
		return 0, false
	case r.subtype == "*":
		specific = 1
	default:
		specific = 2
	}
	for name, value := range r.params {
		if !strings.EqualFold(f.params[name], value) {
			return 0, false
		}
	}
	return specific + len(r.params), true
}

// parseRange reads an element of Accept. It returns false for an element that is not valid.
func parseRange(element string) (mediaRange, bool) {
	media, params, err := mime.ParseMediaType(element)
	if err != nil {
		return mediaRange{}, false
	}
	kind, subtype, found := strings.Cut(media, "/")
	if !found || kind == "" || subtype == "" || kind == "*" && subtype != "*" {
		return mediaRange{}, false
	}
	r := mediaRange{kind: kind, subtype: subtype, params: params, weight: 1}
	if text, weighted := params["q"]; weighted {
		delete(params, "q")
		r.weight, err = strconv.ParseFloat(text, 64)
		if err != nil || !(r.weight >= 0 && r.weight <= 1) {
			return mediaRange{}, false
		}
	}
	return r, true
}

// splitList splits a list at its commas, except those in double quotes.
func splitList(text string) (elements []string) {
	begin, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			elements = append(elements, text[begin:i])
			begin = i + 1
		}
	}
	return append(elements, text[begin:])
}
