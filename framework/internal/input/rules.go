package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A ruleBook applies the rules of validate tags, as validator has them. It is
// used by many requests at once.
type ruleBook struct{ validator *validator.Validate }

func newRuleBook() *ruleBook {
	v := validator.New(validator.WithRequiredStructEnabled())
	// RegisterValidation returns no error for a rule with a name and a function.
	_ = v.RegisterValidation("line", func(f validator.FieldLevel) bool { return naming.IsLine(f.Field().String()) })
	return &ruleBook{v}
}

// check applies a plan's rules to a value, and returns the code and the
// sentence of the first that does not hold.
func (b *ruleBook) check(p *ValuePlan, v reflect.Value) (code, detail string) {
	err := b.validator.Var(v.Addr().Interface(), p.Tag)
	if err == nil {
		return "", ""
	}
	broken, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok || len(broken) == 0 {
		return problem.CodeValidationFailed, "is not valid"
	}
	r := Rule{broken[0].Tag(), broken[0].Param()}
	if strings.Contains(r.Name, "|") {
		r.Param = "" // alternatives carry theirs in the name
	}
	detail = RuleDetail(r, v.Type())
	if (r.Name == "oneof" || r.Name == "oneofci") && v.Kind() == reflect.String {
		detail += naming.Suggestion(naming.Nearest(v.String(), ListParam(r.Param)))
	}
	return r.Name, detail
}

// A RuleSpec is a validate tag, taken apart.
type RuleSpec struct {
	required bool
	filled   bool
	omitZero bool
	Rules    []Rule
	elem     *RuleSpec // after dive
}

// parseRules takes a validate tag apart. The errors are sentences.
func parseRules(tag string) (*RuleSpec, []error) {
	spec := &RuleSpec{}
	if tag == "" || tag == "-" {
		return spec, nil
	}
	var mistakes []error
	at := spec
	for term := range strings.SplitSeq(tag, ",") {
		name, param, _ := strings.Cut(term, "=")
		switch {
		case name == "required":
			at.required = true
		case name == "filled":
			at.filled = true
		case name == "omitempty" || name == "omitzero":
			at.omitZero = true
		case name == "omitnil": // null leaves out the rules in any case
		case name == "dive":
			at.elem = &RuleSpec{}
			at = at.elem
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

// unescapeParam undoes validator's way to write a comma or a bar.
func unescapeParam(param string) string {
	return strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(param)
}

func escapeParam(param string) string {
	return strings.NewReplacer(",", "0x2C", "|", "0x7C").Replace(param)
}

// Tag writes the rules as validator reads them, without required and dive.
func (s *RuleSpec) Tag() string {
	terms := make([]string, len(s.Rules))
	for i, r := range s.Rules {
		terms[i] = r.tag()
	}
	return strings.Join(terms, ",")
}

func (r Rule) tag() string {
	if r.Param == "" {
		return r.Name
	}
	return r.Name + "=" + escapeParam(r.Param)
}

// unusable returns why a rule cannot be used in an input, or "" if it can: the
// decoder passes one value to a rule, and nothing else.
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

// looksAround are rules that touch the file system or resolve names.
var looksAround = []string{
	"file", "filepath", "dir", "dirpath", "image", "unix_addr", "uds_exists",
	"tcp_addr", "tcp4_addr", "tcp6_addr", "udp_addr", "udp4_addr", "udp6_addr", "ip_addr", "ip4_addr", "ip6_addr",
}

var structural = []string{"keys", "endkeys", "structonly", "nostructlevel", "isdefault", "validateFn", "-"}

func comparesFields(name string) bool {
	for _, prefix := range []string{"required_", "excluded_", "skip_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, "field") && name != "field" || strings.HasSuffix(name, "_field") || name == "fieldcontains" || name == "fieldexcludes"
}

// fit tries each rule on a zero value, because validator reports an unknown rule,
// a bad parameter or the wrong type only by a panic when the rule is used.
func (b *ruleBook) fit(p *ValuePlan) (mistakes []error) {
	for _, r := range p.Rules {
		var err error
		switch {
		case p.Nested != nil || isJSON(p.Typ):
			err = fmt.Errorf("rule %q does not apply to %s; write a Check method instead", r.Name, p.Typ)
		default:
			if err = b.try(r, p.Typ); err == nil {
				err = misplaced(r, p.Typ)
			}
		}
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

func (b *ruleBook) try(r Rule, t reflect.Type) (err error) {
	defer func() {
		p := recover()
		text := fmt.Sprint(p)
		switch {
		case p == nil:
		case strings.HasPrefix(text, "Undefined validation"):
			err = fmt.Errorf("rule %q is unknown%s", r.Name, naming.DidYouMean(r.Name, RuleNames()))
		case strings.HasPrefix(text, "Bad field type"):
			err = fmt.Errorf("rule %q does not apply to %s", r.Name, t)
		default:
			err = fmt.Errorf("rule %q does not take the parameter %q for %s", r.Name, r.Param, t)
		}
	}()
	if !strings.Contains(r.Name, "|") {
		// A zero value can end a validation before the parameter is read.
		_ = b.validator.Var(reflect.New(t).Interface(), r.tag())
		return nil
	}
	for alternative := range strings.SplitSeq(r.Name, "|") {
		_ = b.validator.Var(reflect.New(t).Interface(), alternative)
	}
	return nil
}

// misplaced finds rules that validator accepts but that have no use: they would always
// fail, never run, or check something else.
func misplaced(r Rule, t reflect.Type) error {
	known, listed := ruleDetails[r.Name]
	text := listed && known.text || !listed && sizeWords[r.Name] == "" && !slices.Contains(alsoNumbers, r.Name)
	switch {
	case t == naming.TimeType:
		return misplacedOnTime(r)
	case t == naming.UUIDType && !strings.HasPrefix(r.Name, "uuid"),
		t != naming.UUIDType && (t.Kind() == reflect.Struct || t.Kind() == reflect.Array),
		r.Name == "unique" && !holdsComparables(t):
		return fmt.Errorf("rule %q does not apply to %s; write a Check method instead", r.Name, t)
	case listed && known.param && r.Param == "":
		return fmt.Errorf("rule %q needs a parameter, as in %q", r.Name, r.Name+"=...")
	case listed && !known.param && r.Param != "":
		return fmt.Errorf("rule %q takes no parameter, but has %q", r.Name, r.Param)
	case text && t.Kind() != reflect.String && t != naming.UUIDType:
		return fmt.Errorf("rule %q applies to text, not to %s", r.Name, t)
	}
	return nil
}

// alsoNumbers are rules without a sentence of their own that take numbers too.
var alsoNumbers = []string{"luhn_checksum", "iso3166_1_alpha_numeric", "iso3166_1_alpha_numeric_eu", "iso4217_numeric"}

func misplacedOnTime(r Rule) error {
	switch {
	case timeDetails[r.Name] == "":
		return fmt.Errorf("rule %q does not apply to %s; write a Check method instead", r.Name, naming.TimeType)
	case r.Param != "":
		return fmt.Errorf("rule %q compares a time with now and takes no parameter; write a Check method for another time", r.Name)
	}
	return nil
}

// holdsComparables reports whether the elements can be compared without fear
// of a panic.
func holdsComparables(t reflect.Type) bool {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
		return false
	}
	elem := t.Elem()
	if elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	return isPlain(elem)
}

// limitOf is how many elements the rules allow at most, -1 for any number.
func limitOf(rules []Rule) int {
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

// enumOf returns the values that the rule oneof or oneofci allows, or nil without one.
func enumOf(rules []Rule) []string {
	for _, r := range rules {
		if r.Name == "oneof" || r.Name == "oneofci" {
			return ListParam(r.Param)
		}
	}
	return nil
}

var listWord = regexp.MustCompile(`'[^']*'|\S+`)

// ListParam takes apart a parameter of words; 'two words' is one.
func ListParam(param string) []string {
	words := listWord.FindAllString(param, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "'", "")
	}
	return words
}

// RuleDetail is the sentence that a client reads about a broken rule.
func RuleDetail(r Rule, t reflect.Type) string {
	if detail := sizeDetail(r, t); detail != "" {
		return detail
	}
	known, ok := ruleDetails[r.Name]
	switch {
	case !ok:
		return fmt.Sprintf("must satisfy %q", r.tag())
	case known.list:
		return fmt.Sprintf(known.detail, strings.Join(ListParam(r.Param), ", "))
	case known.param:
		return fmt.Sprintf(known.detail, r.Param)
	}
	return known.detail
}

// RuleNames returns the names of all rules, sorted.
func RuleNames() []string {
	all := slices.AppendSeq([]string{"required", "filled", "omitempty", "dive", "unique"}, maps.Keys(ruleDetails))
	all = slices.AppendSeq(all, maps.Keys(sizeWords))
	slices.Sort(all)
	return slices.Compact(all)
}

// sizeDetail words the rules that mean a length for text and lists, and the
// value for numbers and times; "" for any other rule.
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

// OwnBound is the bound of a rule as a type writes it that writes whole numbers as
// numbers of another form, such as an amount of money in hundredths; "" for other types.
func (r Rule) OwnBound(t reflect.Type) string {
	n, err := strconv.ParseInt(r.Param, 10, 64)
	v := reflect.New(t).Elem()
	if err != nil || !v.CanInt() || v.OverflowInt(n) {
		return ""
	}
	v.SetInt(n)
	text, err := wire.Encode(v.Interface())
	if err != nil || !wire.IsNumber(string(text)) {
		return ""
	}
	return string(text)
}

var sizeWords = map[string]string{
	"min": "at least", "gte": "at least", "max": "at most", "lte": "at most",
	"gt": "more than", "lt": "less than", "len": "exactly", "eq": "exactly",
}

var timeDetails = map[string]string{
	"gt": "must be in the future", "gte": "must not be in the past",
	"lt": "must be in the past", "lte": "must not be in the future",
}

// unitOf is what a rule counts in a type, "" if it compares its value.
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
	detail string // with %s for the parameter
	text   bool   // for text only
	param  bool   // needs a parameter
	list   bool   // the parameter is a list of words
}

// ruleDetails is the one table of sentences about rules that are not sizes.
var ruleDetails = map[string]ruleInfo{
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
