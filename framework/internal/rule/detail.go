package rule

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// Detail returns the sentence for a client whose value, of a type, breaks a rule: "must have
// at most 200 characters".
func Detail(r Rule, t reflect.Type) string {
	if detail := sizeDetail(r, t); detail != "" {
		return detail
	}
	known, ok := details[r.Name]
	switch {
	case !ok:
		return fmt.Sprintf("must satisfy %q", r.term())
	case known.list:
		return fmt.Sprintf(known.detail, strings.Join(ListParam(r.Param), ", "))
	case known.param:
		return fmt.Sprintf(known.detail, r.Param)
	}
	return known.detail
}

// Names returns the names of the rules that this package describes, sorted. Other rules of
// validator are allowed too.
func Names() []string {
	all := slices.AppendSeq([]string{"required", "filled", "omitempty", "dive", "unique"}, maps.Keys(details))
	all = slices.AppendSeq(all, maps.Keys(sizeWords))
	slices.Sort(all)
	return slices.Compact(all)
}

// sizeDetail returns the sentence of a rule that limits the length of text and lists, or the
// value of numbers and times. It returns "" for any other rule, for a bool, and for eq of a text.
func sizeDetail(r Rule, t reflect.Type) string {
	unit := unitOf(t)
	text := sizeWords[r.Name]
	switch {
	case t == naming.TimeType:
		return timeDetails[r.Name]
	case text == "" || t.Kind() == reflect.Bool || r.Name == "eq" && t.Kind() == reflect.String:
		return ""
	case unit == "":
		return "must be " + text + " " + cmp.Or(r.OwnBound(t), r.Param)
	case r.Name == "lt":
		text = "fewer than"
	}
	if r.Param != "1" {
		unit += "s"
	}
	return "must have " + text + " " + r.Param + " " + unit
}

// OwnBound returns the bound of a rule in the JSON of a type that writes its whole numbers in
// a form of its own: 150 is "1.50" for an amount of money in hundredths. For a plain int it
// is the number itself. It returns "" for a type that is no signed whole number, for a bound
// that the type cannot store, and for JSON that is no number. For a [datatype.Bounded] type that
// writes text, it is the text.
func (r Rule) OwnBound(t reflect.Type) string {
	n, err := strconv.ParseInt(r.Param, 10, 64)
	v := reflect.New(t).Elem()
	if err != nil || !v.CanInt() || v.OverflowInt(n) {
		return ""
	}
	v.SetInt(n)
	text, err := wire.Encode(v.Interface())
	switch {
	case err != nil:
		return ""
	case wire.IsNumber(string(text)):
		return string(text)
	case datatype.BoundOf(t) != nil:
		return strings.Trim(string(text), `"`)
	}
	return ""
}

// sizeWords has the words before the bound of a length or a value, by rule.
var sizeWords = map[string]string{
	"min": "at least", "gte": "at least", "max": "at most", "lte": "at most",
	"gt": "more than", "lt": "less than", "len": "exactly", "eq": "exactly",
}

// timeDetails has the sentences of rules that compare a time with now.
var timeDetails = map[string]string{
	"gt": "must be in the future", "gte": "must not be in the past",
	"lt": "must be in the past", "lte": "must not be in the future",
}

// unitOf returns the unit of lengths of a type, or "" if a rule compares the value itself.
func unitOf(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.String:
		return "character"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "byte"
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return "item"
	}
	return ""
}

// A ruleInfo has the sentence of a rule, and the types that it accepts.
type ruleInfo struct {
	detail string // with %s or %q for the parameter
	text   bool   // for text only
	param  bool   // needs a parameter
	list   bool   // the parameter is a list of words
}

// details has the sentences of rules for values that [sizeDetail] does not describe. A rule that is
// absent from both gets a general sentence, see [Detail].
var details = map[string]ruleInfo{
	"gt":                 {"must be more than %s", false, true, false},
	"gte":                {"must be at least %s", false, true, false},
	"lt":                 {"must be less than %s", false, true, false},
	"lte":                {"must be at most %s", false, true, false},
	"eq":                 {"must be %s", false, true, false},
	"ne":                 {"must not be %s", false, true, false},
	"eq_ignore_case":     {"must be %s, in any case", true, true, false},
	"ne_ignore_case":     {"must not be %s, in any case", true, true, false},
	"oneof":              {"must be one of %s", false, true, true},
	"oneofci":            {"must be one of %s, in any case", true, true, true},
	"noneof":             {"must not be any of %s", false, true, true},
	"noneofci":           {"must not be any of %s, in any case", true, true, true},
	"line":               {"must be one line, without control characters and without those that turn the direction of writing", true, false, false},
	"key":                {"must be usable in a path: not . or .., and without /, \\ and control characters", true, false, false},
	"alpha":              {"must have the letters a to z only", true, false, false},
	"alphanum":           {"must have the letters a to z and digits only", true, false, false},
	"alphaspace":         {"must have the letters a to z and spaces only", true, false, false},
	"alphanumspace":      {"must have the letters a to z, digits and spaces only", true, false, false},
	"alphaunicode":       {"must have letters only", true, false, false},
	"alphanumunicode":    {"must have letters and digits only", true, false, false},
	"ascii":              {"must have ASCII characters only", true, false, false},
	"printascii":         {"must have printable ASCII characters only", true, false, false},
	"lowercase":          {"must be in lower case", true, false, false},
	"uppercase":          {"must be in upper case", true, false, false},
	"numeric":            {"must be a number", true, false, false},
	"number":             {"must have digits only", true, false, false},
	"boolean":            {"must be true or false", true, false, false},
	"hexadecimal":        {"must be hexadecimal", true, false, false},
	"hexcolor":           {"must be a colour such as #1a2b3c", true, false, false},
	"contains":           {"must contain %q", true, true, false},
	"containsany":        {"must contain one of the characters %q", true, true, false},
	"excludes":           {"must not contain %q", true, true, false},
	"excludesall":        {"must not contain any of the characters %q", true, true, false},
	"startswith":         {"must begin with %q", true, true, false},
	"endswith":           {"must end with %q", true, true, false},
	"startsnotwith":      {"must not begin with %q", true, true, false},
	"endsnotwith":        {"must not end with %q", true, true, false},
	"email":              {"must be an e-mail address", true, false, false},
	"e164":               {"must be a telephone number such as +14155550123", true, false, false},
	"url":                {"must be a URL", true, false, false},
	"http_url":           {"must be an http or https URL", true, false, false},
	"https_url":          {"must be an https URL", true, false, false},
	"uri":                {"must be a URI", true, false, false},
	"hostname":           {"must be a host name", true, false, false},
	"hostname_rfc1123":   {"must be a host name", true, false, false},
	"hostname_port":      {"must be a host and a port, as in example.org:443", true, false, false},
	"fqdn":               {"must be a full domain name", true, false, false},
	"ip":                 {"must be an IP address", true, false, false},
	"ipv4":               {"must be an IPv4 address", true, false, false},
	"ipv6":               {"must be an IPv6 address", true, false, false},
	"cidr":               {"must be an IP network such as 192.0.2.0/24", true, false, false},
	"mac":                {"must be a MAC address", true, false, false},
	"port":               {"must be a port from 1 to 65535", false, false, false},
	"uuid":               {"must be a UUID", true, false, false},
	"uuid4":              {"must be a UUID of version 4", true, false, false},
	"uuid7":              {"must be a UUID of version 7", true, false, false},
	"ulid":               {"must be a ULID", true, false, false},
	"base64":             {"must be base64", true, false, false},
	"base64url":          {"must be base64 for URLs", true, false, false},
	"json":               {"must be JSON", true, false, false},
	"jwt":                {"must be a JSON Web Token", true, false, false},
	"html":               {"must be HTML", true, false, false},
	"datetime":           {"must be a date or time written like %s", true, true, false},
	"timezone":           {"must be a time zone such as Europe/Paris", true, false, false},
	"latitude":           {"must be a latitude, from -90 to 90", false, false, false},
	"longitude":          {"must be a longitude, from -180 to 180", false, false, false},
	"iso3166_1_alpha2":   {"must be a country code of two letters", true, false, false},
	"iso3166_1_alpha3":   {"must be a country code of three letters", true, false, false},
	"country_code":       {"must be a country code", true, false, false},
	"iso4217":            {"must be a currency code such as EUR", true, false, false},
	"bcp47_language_tag": {"must be a language tag such as en-GB", true, false, false},
	"credit_card":        {"must be a card number", true, false, false},
	"isbn":               {"must be an ISBN", true, false, false},
	"semver":             {"must be a semantic version such as 1.2.3", true, false, false},
	"cron":               {"must be a cron expression", true, false, false},
	"unique":             {"must not have the same item twice", false, false, false},
}

// ruleTexts describes the rules that limit a length or a value, without their parameter. It lacks
// min and max, whose texts are in input.BuiltinFaults.
var ruleTexts = map[string]string{
	"gt": "It is not more, or not longer, than it must be.", "gte": "It is too small, too short or too few.",
	"lt": "It is not less, or not shorter, than it must be.", "lte": "It is too large, too long or too many.",
	"len": "It has another length than it must.", "eq": "It is another than it must be.",
}

// Text returns a sentence that describes the rule without its parameter, such as "It must be
// an e-mail address." The list of codes has it.
func (r Rule) Text() string {
	known, ok := details[r.Name]
	switch {
	case ruleTexts[r.Name] != "":
		return ruleTexts[r.Name]
	case !ok:
		return fmt.Sprintf("It must satisfy %q.", r.Name)
	case known.param:
		return "It " + strings.ReplaceAll(fmt.Sprintf(known.detail, "..."), `"..."`, "...") + "."
	}
	return "It " + known.detail + "."
}
