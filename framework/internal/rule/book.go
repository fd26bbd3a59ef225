package rule

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A Book applies rules to values, by the module validator. It is safe for concurrent use.
type Book struct {
	validator *validator.Validate
	own       map[string]Own // by name
}

// NewBook returns a book with the rules of validator, the rules line and key, and the rules of the
// program.
func NewBook(own ...Own) *Book {
	v := validator.New(validator.WithRequiredStructEnabled())
	// RegisterValidation returns no error for a rule with a name and a function.
	_ = v.RegisterValidation("line", func(f validator.FieldLevel) bool { return naming.IsLine(f.Field().String()) })
	_ = v.RegisterValidation("key", func(f validator.FieldLevel) bool { return naming.IsPathKey(f.Field().String()) })
	b := &Book{v, map[string]Own{}}
	for _, o := range own {
		b.own[o.name] = o
	}
	return b
}

// Check applies the rules of a [Tag] to an addressable value. It returns the name of the
// first broken rule and its [Detail], with a suggestion for oneof, or "" if the value satisfies
// all rules. If validator does not name the rule, the name is validation_failed.
func (b *Book) Check(tag string, v reflect.Value) (name, detail string) {
	err := b.validator.Var(v.Addr().Interface(), tag)
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
	detail = Detail(r, v.Type())
	if (r.Name == "oneof" || r.Name == "oneofci") && v.Kind() == reflect.String {
		detail += naming.Suggestion(naming.Nearest(v.String(), ListParam(r.Param)))
	}
	return r.Name, detail
}

// Fit returns an error if a rule cannot be applied to values of a type.
func (b *Book) Fit(r Rule, t reflect.Type) error {
	isObject := t.Kind() == reflect.Struct && datatype.ReadForm(t) == datatype.FormParts
	if isObject || datatype.IsJSON(t) && !limitsJSON(r, t) {
		return fmt.Errorf("rule %q does not apply to %s; write a Check method instead", r.Name, t)
	}
	if err := b.try(r, t); err != nil {
		return err
	}
	return misplaced(r, t)
}

// WithBounds replaces the bounds of rules for a [datatype.Bounded] type by whole numbers, which
// validator compares: min=99.50 becomes min=9950. It returns the rules of other types unchanged. A
// rule that is no bound, or whose bound is no value of the type, is an error and is left out.
func WithBounds(rules []Rule, t reflect.Type) (kept []Rule, mistakes []error) {
	read := datatype.BoundOf(t)
	if read == nil {
		return rules, nil
	}
	for _, r := range rules {
		if sizeWords[r.Name] == "" || r.Name == "len" {
			mistakes = append(mistakes, fmt.Errorf("rule %q does not apply to %s, which takes min, max, gt, gte, lt, lte and eq", r.Name, t))
			continue
		}
		n, err := read(r.Param)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("the bound %q of rule %q %w", r.Param, r.Name, err))
			continue
		}
		kept = append(kept, Rule{r.Name, strconv.FormatInt(n, 10)})
	}
	return kept, mistakes
}

// limitsJSON reports whether a rule limits the bytes of a value of any JSON.
func limitsJSON(r Rule, t reflect.Type) bool {
	return (r.Name == "max" || r.Name == "lte") && t.Kind() == reflect.Slice
}

// try applies a rule to a zero value, because validator reports an unknown rule, a bad
// parameter or a wrong type only by a panic.
func (b *Book) try(r Rule, t reflect.Type) (err error) {
	defer func() {
		p := recover()
		text := fmt.Sprint(p)
		switch {
		case p == nil:
		case strings.HasPrefix(text, "Undefined validation"):
			err = fmt.Errorf("rule %q is unknown%s", r.Name, naming.DidYouMean(r.Name, slices.AppendSeq(Names(), maps.Keys(b.own))))
		case strings.HasPrefix(text, "Bad field type"):
			err = fmt.Errorf("rule %q does not apply to %s", r.Name, t)
		default:
			err = fmt.Errorf("rule %q does not take the parameter %q for %s", r.Name, r.Param, t)
		}
	}()
	if !strings.Contains(r.Name, "|") {
		// If the zero value ends the validation early, a bad parameter is not found.
		_ = b.validator.Var(reflect.New(t).Interface(), Tag([]Rule{r}))
		return nil
	}
	for alternative := range strings.SplitSeq(r.Name, "|") {
		_ = b.validator.Var(reflect.New(t).Interface(), alternative)
	}
	return nil
}

// knows reports whether a name is that of a rule, or a word of tags validate.
func (b *Book) knows(name string) (known bool) {
	if slices.Contains(Names(), name) || slices.Contains([]string{"omitzero", "omitnil"}, name) || unusable(name) != "" {
		return true
	}
	defer func() {
		p := recover()
		known = p == nil || !strings.HasPrefix(fmt.Sprint(p), "Undefined validation")
	}()
	_ = b.validator.Var("", name)
	return true
}

// misplaced returns an error for a rule that validator accepts for a type, but that would
// always fail, never run, or check something else.
func misplaced(r Rule, t reflect.Type) error {
	known, listed := details[r.Name]
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

// alsoNumbers are rules that apply to numbers too and are absent from [details].
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

// holdsComparables reports whether a type is a slice or map of plain values or of pointers to them.
func holdsComparables(t reflect.Type) bool {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
		return false
	}
	elem := t.Elem()
	if elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	return datatype.IsPlain(elem)
}
