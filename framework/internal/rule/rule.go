package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Rule is one term of a validate tag: {"max", "200"}.
type Rule struct{ Name, Param string }

// A Spec is what a validate tag demands of a value.
type Spec struct {
	Required bool
	Filled   bool
	OmitZero bool   // omitempty or omitzero: the rules accept the zero value
	Rules    []Rule // all other terms before dive
	Elem     *Spec  // the terms after dive, for each element; nil without dive
}

// Parse parses a validate tag. Each error describes one wrong term, which the Spec lacks. The
// Spec is never nil; it is empty for the tags "" and "-".
func Parse(tag string) (*Spec, []error) {
	spec := &Spec{}
	if tag == "" || tag == "-" {
		return spec, nil
	}
	var mistakes []error
	at := spec
	for term := range strings.SplitSeq(tag, ",") {
		name, param, _ := strings.Cut(term, "=")
		switch {
		case name == "required":
			at.Required = true
		case name == "filled":
			at.Filled = true
		case name == "omitempty" || name == "omitzero":
			at.OmitZero = true
		case name == "omitnil": // the rules do not judge null in any case
		case name == "dive":
			at.Elem = &Spec{}
			at = at.Elem
		default:
			if reason := unusable(term); reason != "" {
				mistakes = append(mistakes, fmt.Errorf("rule %q %s", name, reason))
				continue
			}
			if strings.Contains(term, "|") {
				name, param = term, ""
			}
			at.Rules = append(at.Rules, Rule{name, unescapeParam(param)})
		}
	}
	return spec, mistakes
}

// unescapeParam replaces the escapes of validator for a comma and a bar.
func unescapeParam(param string) string {
	return strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(param)
}

func escapeParam(param string) string {
	return strings.NewReplacer(",", "0x2C", "|", "0x7C").Replace(param)
}

// Tag writes rules as a validate tag. The result is what [Book.Check] takes.
func Tag(rules []Rule) string {
	terms := make([]string, len(rules))
	for i, r := range rules {
		terms[i] = r.term()
	}
	return strings.Join(terms, ",")
}

func (r Rule) term() string {
	if r.Param == "" {
		return r.Name
	}
	return r.Name + "=" + escapeParam(r.Param)
}

// unusable returns why a rule cannot be used, or "" if it can. A rule must judge one value
// by itself, without other fields, files or the network.
func unusable(term string) string {
	for alternative := range strings.SplitSeq(term, "|") {
		name, _, _ := strings.Cut(alternative, "=")
		switch {
		case name == "":
			return "has no name; remove the comma or bar beside it"
		case comparesFields(name):
			return "compares two fields; write a Check method instead"
		case slices.Contains(looksAround, name):
			return "reads the server's files or network, and no client may cause that"
		case slices.Contains(structural, name):
			return "has no meaning in an input; remove it"
		}
	}
	return ""
}

// looksAround are rules that read files or resolve host names.
var looksAround = []string{
	"file", "filepath", "dir", "dirpath", "image", "unix_addr", "uds_exists",
	"tcp_addr", "tcp4_addr", "tcp6_addr", "udp_addr", "udp4_addr", "udp6_addr", "ip_addr", "ip4_addr", "ip6_addr",
}

// structural are words of validator that are no rules of one value.
var structural = []string{"keys", "endkeys", "structonly", "nostructlevel", "isdefault", "validateFn", "-"}

// comparesFields reports whether a rule reads another field.
func comparesFields(name string) bool {
	for _, prefix := range []string{"required_", "excluded_", "skip_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, "field") && name != "field" || strings.HasSuffix(name, "_field") || name == "fieldcontains" || name == "fieldexcludes"
}

// MaxItems returns how many elements the rules max, lte and len allow, or -1 for any number.
// The least bound decides.
func MaxItems(rules []Rule) int {
	limit := -1
	for _, r := range rules {
		if r.Name != "max" && r.Name != "lte" && r.Name != "len" {
			continue
		}
		if n, err := strconv.Atoi(r.Param); err == nil && n >= 0 && (limit < 0 || n < limit) {
			limit = n
		}
	}
	return limit
}

// Allowed returns the values that the first rule oneof or oneofci lists, or nil without such
// a rule.
func Allowed(rules []Rule) []string {
	for _, r := range rules {
		if r.Name == "oneof" || r.Name == "oneofci" {
			return ListParam(r.Param)
		}
	}
	return nil
}

var listWord = regexp.MustCompile(`'[^']*'|\S+`)

// ListParam splits a parameter into words. Text in single quotes is one word.
func ListParam(param string) []string {
	words := listWord.FindAllString(param, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "'", "")
	}
	return words
}
