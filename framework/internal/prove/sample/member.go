package sample

import (
	"encoding/json"
	"strconv"
)

// MaskAt replaces a word in the member of an object or the item of a list at a path of names. Another body stays as it is.
func MaskAt(body []byte, at []string, word, with string) []byte {
	var object map[string]json.RawMessage
	if len(at) == 0 {
		return maskValue(body, word, with)
	}
	if list, is := listOf(body); is {
		return maskIn(list, at, body, word, with)
	}
	if json.Unmarshal(body, &object) != nil || object[at[0]] == nil {
		return body
	}
	object[at[0]] = MaskAt(object[at[0]], at[1:], word, with)
	text, err := json.Marshal(object)
	if err != nil {
		return body
	}
	return text
}

// maskValue replaces a word in a value. The word may have characters that are escaped in a string of JSON.
func maskValue(body []byte, word, with string) []byte {
	var text string
	if json.Unmarshal(body, &text) != nil {
		return []byte(Mask(string(body), word, with))
	}
	masked := Mask(text, word, with)
	changed, err := json.Marshal(masked)
	if masked == text || err != nil {
		return body
	}
	return changed
}

// listOf returns the items of a list, and whether a body is one.
func listOf(body []byte) (list []json.RawMessage, is bool) {
	return list, json.Unmarshal(body, &list) == nil && list != nil
}

// maskIn replaces a word in an item of a list, which is body.
func maskIn(list []json.RawMessage, at []string, body []byte, word, with string) []byte {
	i, err := strconv.Atoi(at[0])
	if err != nil || i < 0 || i >= len(list) {
		return body
	}
	list[i] = MaskAt(list[i], at[1:], word, with)
	text, err := json.Marshal(list)
	if err != nil {
		return body
	}
	return text
}
