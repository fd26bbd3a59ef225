package mergepatch

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Media is the media type of a merge patch.
const Media = "application/merge-patch+json"

// HeaderAccept is the header of an answer that lists the media types of a PATCH (RFC 5789, section 3.1).
const HeaderAccept = "Accept-Patch"

// Objects lists the members of a JSON object whose values are objects: these values would be merged with the stored ones. It lists those
// before the first error of syntax.
func Objects(object []byte) (names []string) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if dec.PeekKind() != jsontext.KindBeginObject {
		return nil
	}
	_, _ = dec.ReadToken() // it is the bracket
	for dec.PeekKind() == jsontext.KindString {
		name, err := dec.ReadToken()
		if err != nil {
			return names
		}
		text := name.String()
		if dec.PeekKind() == jsontext.KindBeginObject {
			names = append(names, text)
		}
		if dec.SkipValue() != nil {
			return names
		}
	}
	return names
}
