package prove

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/internal/spec"
)

// varied returns an example, or one of its form if it must be new.
func (w *writer) varied(schema map[string]any, example any) any {
	text, isText := example.(string)
	if !w.vary || !isText {
		return example
	}
	pattern, _ := schema["pattern"].(string)
	fits, err := regexp.Compile(pattern)
	for range attempts {
		made := []rune(text)
		for i, old := range made {
			switch {
			case old >= 'a' && old <= 'z':
				made[i] = rune(letters[w.dice.IntN(len(letters))])
			case old >= 'A' && old <= 'Z':
				made[i] = rune(letters[w.dice.IntN(len(letters))]) - 'a' + 'A'
			case old >= '0' && old <= '9':
				made[i] = '0' + w.dice.Int32N(10)
			}
		}
		if err == nil && fits.MatchString(string(made)) && schema["format"] == nil {
			return string(made)
		}
	}
	return example
}

// free reports whether a text may be any, so that a random text is better than an example.
func free(schema map[string]any) bool {
	return kindOf(schema) == "string" && schema["format"] == nil && schema["pattern"] == nil
}

// fits reports whether a text satisfies a schema.
func fits(schema map[string]any, text string) bool {
	pattern, _ := schema["pattern"].(string)
	matches, err := regexp.MatchString(pattern, text)
	return kindOf(schema) == "string" && schema["format"] == nil && schema["enum"] == nil && err == nil && matches &&
		len(text) <= int(bound(schema, "maxLength", 100)) && len(text) >= int(bound(schema, "minLength", 0))
}

func isNumber(schema map[string]any) bool {
	return slices.Contains([]string{"integer", "number"}, kindOf(schema))
}

func kindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, one := range kind {
			if text, _ := one.(string); text != "null" {
				return text
			}
		}
	}
	return ""
}

// number returns a key as its schema has it.
func number(schema map[string]any, key string) any {
	if kindOf(schema) == "integer" {
		return json.Number(key)
	}
	return key
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// telling is the least length of a text that no two rows have by chance.
const telling = 10

// mailDomain ends the addresses of bodies.
const mailDomain = "@example.com"

func (p *Fixture) word(length int) string {
	var text strings.Builder
	text.WriteString(p.start[:min(length, len(p.start))])
	for text.Len() < length {
		text.WriteByte(letters[p.dice.IntN(len(letters))])
	}
	if length >= telling {
		p.words[text.String()] = true
	}
	return text.String()
}

// day returns a day of the next 300, or of the last ones: a function may accept only one of both.
func (w *writer) day() time.Time {
	days := 1 + w.dice.IntN(300)
	if w.past {
		days = -days
	}
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
}

// text makes a text that nothing else has, as far as its schema lets it.
func (w *writer) text(schema map[string]any, name string) string {
	switch schema["format"] {
	case "uuid":
		return uuid.Must(uuid.NewV7()).String()
	case "date-time":
		return w.day().Add(time.Duration(w.dice.IntN(24*60)) * time.Minute).Format(time.RFC3339)
	case "date":
		return w.day().Format(time.DateOnly)
	case "time":
		return fmt.Sprintf("%02d:%02d:00", w.dice.IntN(24), w.dice.IntN(60))
	case "duration":
		return fmt.Sprintf("PT%dM", 1+w.dice.IntN(59))
	case "email", "idn-email":
		return w.word(telling) + mailDomain
	case "uri", "url":
		return "https://example.com/" + w.word(8)
	}
	if lower := strings.ToLower(name); strings.HasSuffix(lower, "url") || strings.HasSuffix(lower, "link") {
		return "https://example.com/" + w.word(8)
	}
	length := min(max(12, int(bound(schema, "minLength", 0))), int(bound(schema, "maxLength", 1000)))
	pattern, _ := schema["pattern"].(string)
	fits, err := regexp.Compile(pattern)
	for _, made := range []string{
		w.word(length), w.word(min(length, 3)), strconv.Itoa(1_000_000_000 + w.dice.IntN(1_000_000_000)),
		fmt.Sprintf("+1555%07d", w.dice.IntN(10_000_000)), strconv.Itoa(100_000 + w.dice.IntN(900_000)), strconv.Itoa(1 + w.dice.IntN(99)),
		"https://example.com/" + w.word(8), strings.ToUpper(w.word(3)),
	} {
		if pattern == "" || err == nil && fits.MatchString(made) {
			return made
		}
	}
	if listed, ok := schema["examples"].([]any); ok && len(listed) > 0 {
		return fmt.Sprint(listed[0])
	}
	return w.word(length)
}

func (w *writer) number(schema map[string]any) any {
	least, most := bound(schema, "minimum", 1), bound(schema, "maximum", 1000)
	if exclusive, ok := schema["exclusiveMinimum"].(float64); ok {
		least = exclusive + 1
	}
	return int64(max(least, min(most, least+float64(w.dice.IntN(10)))))
}

func bound(schema map[string]any, keyword string, usual float64) float64 {
	if given, ok := schema[keyword].(float64); ok {
		return given
	}
	return usual
}

// fileOf returns a small file of one of some media types, and its type.
func fileOf(types []string) (content []byte, kind string) {
	if len(types) == 0 {
		return []byte("0123456789"), "application/octet-stream"
	}
	kind = types[0]
	var file bytes.Buffer
	dot := image.NewGray(image.Rect(0, 0, 1, 1))
	switch kind { // a write to a bytes.Buffer does not fail
	case "image/png", "image/*":
		kind = "image/png"
		_ = png.Encode(&file, dot)
	case "image/jpeg":
		_ = jpeg.Encode(&file, dot, nil)
	case "image/gif":
		_ = gif.Encode(&file, dot, nil)
	case "application/pdf":
		file.WriteString("%PDF-1.4\n%%EOF\n")
	case "application/json":
		file.WriteString("{}")
	default:
		kind = strings.ReplaceAll(kind, "*", "plain")
		file.WriteString("0123456789")
	}
	return file.Bytes(), kind
}

// sharedTexts are in the lists of texts of several rows, so that a request which removes one from its row can
// remove it from others too.
var sharedTexts = []string{"morning", "evening"}

// parameter makes the value of a parameter of a function.
func (w *writer) parameter(param spec.Param) string {
	switch {
	case param.Field.Ref != "":
		key, _ := w.reference(param.Field.Ref, param.Name)
		return key
	case len(param.Enum) > 0:
		return param.Enum[0]
	case param.Field.Example != "":
		return param.Field.Example
	}
	switch t := param.Type; {
	case t == reflect.TypeFor[uuid.UUID]():
		return w.text(map[string]any{"format": "uuid"}, param.Name)
	case t == reflect.TypeFor[time.Time]():
		return w.text(map[string]any{"format": "date-time"}, param.Name)
	case t != nil && t.Kind() == reflect.Bool:
		return "true"
	case t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return fmt.Sprint(cmp.Or(param.Minimum, any(10)))
	}
	return w.word(min(12, cmp.Or(param.MaxLength, 12)))
}
