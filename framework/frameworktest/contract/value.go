package contract

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// deepest is the maximum depth of generated values. Below it optional members are left
// out.
const deepest = 6

// value generates a value that the schema at a place allows, for the member or parameter
// name.
func (m maker) value(place, name string, depth int) *node {
	place = m.contract.document.follow(place)
	if known := m.known[name]; len(known) > 0 && !m.chance(8) {
		return raw(oneOf(m, known))
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if parts := m.contract.document.list(place + "/" + keyword); len(parts) > 0 {
			return m.value(place+"/"+keyword+"/"+strconv.Itoa(m.dice.IntN(len(parts))), name, depth)
		}
	}
	schema := m.contract.document.object(place)
	if listed, ok := schema["enum"].([]any); ok {
		return encode(oneOf(m, listed))
	}
	if constant, ok := schema["const"]; ok {
		return encode(constant)
	}
	kinds := kindsOf(m.contract.document, place)
	if len(kinds) > 1 && slices.Contains(kinds, "null") && m.chance(4) {
		return raw("null")
	}
	return m.typedValue(append(kinds, "any")[0], place, name, depth)
}

func encode(value any) *node {
	text, err := json.Marshal(value)
	if err != nil {
		return raw("null") // cannot happen: the value was read from JSON
	}
	return raw(string(text))
}

// typedValue generates a value of a type.
func (m maker) typedValue(kind, place, name string, depth int) *node {
	switch kind {
	case "object":
		return m.object(place, depth)
	case "array":
		return m.list(place, name, depth)
	case "string":
		return quote(m.string(place, name))
	case "integer":
		return raw(m.number(place, big.NewRat(1, 1), 0))
	case "number":
		return raw(m.number(place, big.NewRat(1, 100), m.dice.IntN(3)))
	case "boolean":
		return raw(oneOf(m, []string{"true", "false"}))
	case "null":
		return raw("null")
	}
	return raw(oneOf(m, []string{"null", `"x"`, "1", "[]", "{}"}))
}

func (m maker) object(place string, depth int) *node {
	o := &node{kind: isObject}
	required := m.contract.document.list(place + "/required")
	names := make([]string, 0, len(m.contract.document.object(place+"/properties")))
	for name := range m.contract.document.object(place + "/properties") {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if shown, _ := m.contract.document.at(place + pointer("properties", name) + "/readOnly").(bool); shown && !m.chance(20) {
			continue // readOnly members are accepted only with their stored value
		}
		if slices.Contains(required, any(name)) || depth < deepest && !m.chance(3) {
			o.members = append(o.members, &member{name, m.value(place+pointer("properties", name), name, depth+1)})
		}
	}
	return o
}

func (m maker) list(place, name string, depth int) *node {
	l := &node{kind: isList}
	least, most := m.bound(place, "minItems", 0), m.bound(place, "maxItems", 4)
	if depth >= deepest {
		most = least
	}
	unique, _ := m.contract.document.at(place + "/uniqueItems").(bool)
	for range least + m.dice.IntN(max(min(most, least+3)-least, 0)+1) {
		item := m.value(place+"/items", name, depth+1)
		for try := 0; unique && l.has(item) && try < triesOfItems; try++ {
			item = m.value(place+"/items", name, depth+1)
		}
		if !unique || !l.has(item) {
			l.items = append(l.items, item)
		}
	}
	return l
}

// triesOfItems is how many items are tried for a list whose items must differ.
const triesOfItems = 100

// has reports whether a list has an item with the same JSON.
func (n *node) has(item *node) bool {
	return slices.ContainsFunc(n.items, func(other *node) bool { return other.String() == item.String() })
}

func (m maker) bound(place, keyword string, usual int) int {
	if text, ok := m.contract.document.at(place + "/" + keyword).(json.Number); ok {
		if n, err := strconv.Atoi(text.String()); err == nil {
			return n
		}
	}
	return usual
}

// string generates text: a known value, or text for the format or the pattern, or any
// text.
func (m maker) string(place, name string) string {
	schema := m.contract.document.object(place)
	format, _ := schema["format"].(string)
	if seen := m.allowed(place, m.pool.values(name, "")); len(seen) > 0 && !m.chance(3) {
		return oneOf(m, seen)
	}
	if text, ok := m.format(format); ok {
		return text
	}
	least, most := m.bound(place, "minLength", 0), m.bound(place, "maxLength", 60)
	if format == "password" { // a server may normalise other letters to fewer
		return m.letters(m.length(least, most))
	}
	pattern, ok := schema["pattern"].(string)
	if !ok {
		return m.word(m.length(least, most))
	}
	fits, err := regexp.Compile(pattern)
	for range triesOfWords {
		if word := m.word(m.length(least, most)); err == nil && fits.MatchString(word) {
			return word
		}
	}
	return m.matchPattern(pattern, least, most)
}

// allowed returns the texts that the schema at a place allows.
func (m maker) allowed(place string, texts []string) (all []string) {
	schema, err := m.contract.schema(requestSchemas, place)
	if err != nil {
		return nil
	}
	for _, text := range texts {
		if schema.Validate(text) == nil {
			all = append(all, text)
		}
	}
	return all
}

// triesOfWords is how many words are tried before text is generated from a pattern. Most
// patterns of free text match a word, and words have more variety.
const triesOfWords = 5

// length returns a length between two bounds, and now and then one of the bounds.
func (m maker) length(least, most int) int {
	if m.chance(10) {
		return oneOf(m, []int{least, most})
	}
	return least + m.dice.IntN(max(min(most, least+20)-least, 0)+1)
}

func (m maker) format(format string) (string, bool) {
	switch format {
	case "uuid":
		return m.uuid(), true
	case "date-time":
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.dice.IntN(1<<20)) * time.Minute)
		return at.In(time.FixedZone("", m.dice.IntN(5)*3600)).Format(time.RFC3339), true
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+m.dice.IntN(12), 1+m.dice.IntN(28)), true
	case "email", "idn-email":
		return strings.ToLower(m.letters(8)) + "@example.com", true
	case "uri", "url":
		return "https://example.com/" + m.letters(6), true
	}
	return "", false
}

func (m maker) uuid() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], m.dice.Uint64())
	binary.BigEndian.PutUint64(id[8:], m.dice.Uint64())
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func (m maker) letters(length int) string {
	var b strings.Builder
	for range length {
		b.WriteByte(letters[m.dice.IntN(len(letters))])
	}
	return b.String()
}

// word generates text of a length, in several scripts, without white space at its ends.
func (m maker) word(length int) string {
	if m.chance(3) {
		return m.letters(length)
	}
	inside := []rune("abcdefghijklmnop  '\"\\/<>&%_-.,;éßİ\u0301नमस्ते🙂\u202e")
	text := make([]rune, length)
	for i := range text {
		text[i] = oneOf(m, inside)
	}
	for _, end := range []int{0, length - 1} {
		if length > 0 {
			text[end] = rune(letters[m.dice.IntN(len(letters))])
		}
	}
	return string(text)
}

// number generates a number between its bounds, with at most so many decimals. It is at least one
// step away from an exclusive bound.
func (m maker) number(place string, step *big.Rat, decimals int) string {
	least, most := m.limit(place, "minimum", big.NewRat(0, 1)), m.limit(place, "maximum", big.NewRat(1000, 1))
	if above := m.limit(place, "exclusiveMinimum", nil); above != nil && above.Cmp(least) >= 0 {
		least = new(big.Rat).Add(above, step)
	}
	if below := m.limit(place, "exclusiveMaximum", nil); below != nil && below.Cmp(most) <= 0 {
		most = new(big.Rat).Sub(below, step)
	}
	if most.Cmp(least) < 0 {
		most = least
	}
	if m.chance(8) {
		return decimal(oneOf(m, []*big.Rat{least, most}), 2)
	}
	span := new(big.Rat).Sub(most, least)
	if most := big.NewRat(100_000, 1); span.Cmp(most) > 0 {
		span = most
	}
	steps := big.NewRat(m.dice.Int64N(1_000_001), 1_000_000)
	at := new(big.Rat).Add(least, span.Mul(span, steps))
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil) // the number of steps per unit
	whole := new(big.Int).Mul(at.Num(), unit)
	at.SetFrac(whole.Div(whole, at.Denom()), unit) // rounded down, so that it stays within the bounds
	if at.Cmp(least) < 0 {
		return decimal(least, 2)
	}
	return decimal(at, decimals)
}

func (m maker) limit(place, keyword string, usual *big.Rat) *big.Rat {
	if text, ok := m.contract.document.at(place + "/" + keyword).(json.Number); ok {
		if n, ok := new(big.Rat).SetString(text.String()); ok {
			return n
		}
	}
	return usual
}

// decimal returns a number as JSON, without decimals if it is whole.
func decimal(n *big.Rat, digits int) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return n.FloatString(digits)
}
