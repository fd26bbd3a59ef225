package rule

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// An Own is a rule of the program for tags validate. Make it with [NewOwn] or [NewOwnWith].
type Own struct {
	name, code, detail string
	keywords           string       // of JSON Schema, an object; "" for none
	typ                reflect.Type // of the values that the rule judges
	takes              bool         // a parameter
	compile            func(param string) (func(reflect.Value) bool, error)
}

// NewOwn makes a rule without a parameter. The detail is the sentence for clients.
func NewOwn[T any](name, detail string, valid func(T) bool) Own {
	o := Own{name: name, code: name, detail: detail, typ: reflect.TypeFor[T]()}
	if valid != nil {
		o.compile = func(string) (func(reflect.Value) bool, error) { return judge(valid), nil }
	}
	return o
}

// NewOwnWith makes a rule with a parameter. The detail contains %s once, for the parameter. compile
// is called for each field with the rule, and more than once if several inputs have the field. Its
// error is a mistake in the tag.
func NewOwnWith[T any](name, detail string, compile func(param string) (func(T) bool, error)) Own {
	o := Own{name: name, code: name, detail: detail, typ: reflect.TypeFor[T](), takes: true}
	if compile != nil {
		o.compile = func(param string) (func(reflect.Value) bool, error) {
			valid, err := compile(param)
			if err == nil && valid == nil {
				err = naming.Sentence("its function returned no function")
			}
			return judge(valid), err
		}
	}
	return o
}

func judge[T any](valid func(T) bool) func(reflect.Value) bool {
	return func(v reflect.Value) bool { return valid(v.Convert(reflect.TypeFor[T]()).Interface().(T)) }
}

// Code returns the rule with another code of its faults. It defaults to the name of the rule.
func (o Own) Code(code string) Own {
	o.code = code
	return o
}

// Schema returns the rule with keywords of JSON Schema, for the OpenAPI document, as a JSON object:
// `{"pattern":"^[A-Z]{2}-[0-9]{4}$"}`. The document always has the sentence too.
func (o Own) Schema(keywords string) Own {
	o.keywords = keywords
	return o
}

// Name returns the name of the rule in tags.
func (o Own) Name() string { return o.name }

// FaultCode returns the code of the rule's faults.
func (o Own) FaultCode() string { return o.code }

// Check returns the first mistake in the rule by itself.
func (o Own) Check() error {
	parameters := strings.Count(o.detail, "%s")
	switch {
	case o.typ == nil:
		return naming.Sentence("a rule is empty; make it with framework.RuleOf or framework.RuleWith")
	case !naming.CodeName.MatchString(o.name):
		return naming.Sentence("the name %q of a rule must be made of a-z, 0-9 and _", o.name)
	case !naming.CodeName.MatchString(o.code):
		return naming.Sentence("the code %q of the rule %q must be made of a-z, 0-9 and _", o.code, o.name)
	case NewBook().knows(o.name):
		return naming.Sentence("the rule %q is the framework's own; choose another name", o.name)
	case o.compile == nil:
		return naming.Sentence("the rule %q has no function", o.name)
	case o.typ.Kind() == reflect.Interface || o.typ.Kind() == reflect.Pointer:
		return naming.Sentence("the rule %q judges %s; its function must take a value, which is no pointer and no interface", o.name, o.typ)
	case o.detail == "" || strings.HasSuffix(o.detail, "."):
		return naming.Sentence("the rule %q needs a sentence that goes on after the name of a field and has no full stop, such as \"must be an ISBN\"", o.name)
	case o.takes && parameters != 1:
		return naming.Sentence("the sentence of the rule %q must contain %%s once, for the parameter", o.name)
	case !o.takes && strings.Contains(o.detail, "%"):
		return naming.Sentence("the sentence of the rule %q has a %%, but the rule takes no parameter; use framework.RuleWith", o.name)
	}
	_, err := o.schema()
	return err
}

// schema returns the keywords of the rule.
func (o Own) schema() (wire.JSONSchema, error) {
	if o.keywords == "" {
		return nil, nil
	}
	dec := json.NewDecoder(strings.NewReader(o.keywords))
	dec.UseNumber()
	var keywords wire.JSONSchema
	if err := dec.Decode(&keywords); err != nil || dec.More() {
		return nil, naming.Sentence("the schema of the rule %q is no JSON object: %s", o.name, o.keywords)
	}
	for _, keyword := range []string{"type", "$ref", "description"} {
		if keywords[keyword] != nil {
			return nil, naming.Sentence("the schema of the rule %q has the keyword %q, which the field has already; leave it out", o.name, keyword)
		}
	}
	return keywords, nil
}

// A Bound is a rule of the program that is bound to the values of a field.
type Bound struct {
	Code     string
	Detail   string          // the sentence for clients, with the parameter
	Text     string          // the sentence of the list of codes, without the parameter
	Keywords wire.JSONSchema // nil for none
	Valid    func(reflect.Value) bool
}

// bind binds the rule to values of a type.
func (o Own) bind(r Rule, t reflect.Type) (Bound, error) {
	b := Bound{Code: o.code, Detail: o.detail, Text: "It " + strings.ReplaceAll(o.detail, "%s", "...") + "."}
	sameKind := datatype.KindSchema(t.Kind()) != nil && t.Kind() == o.typ.Kind()
	switch {
	case t != o.typ && !sameKind:
		return b, fmt.Errorf("rule %q applies to %s, not to %s", r.Name, o.typ, t)
	case o.takes && r.Param == "":
		return b, fmt.Errorf("rule %q needs a parameter, as in %q", r.Name, r.Name+"=...")
	case !o.takes && r.Param != "":
		return b, fmt.Errorf("rule %q takes no parameter, but has %q", r.Name, r.Param)
	}
	if o.takes {
		b.Detail = strings.Replace(o.detail, "%s", r.Param, 1)
	}
	var err error
	if b.Valid, err = o.compile(r.Param); err != nil {
		return b, fmt.Errorf("rule %q does not take the parameter %q: %w", r.Name, r.Param, err)
	}
	b.Keywords, _ = o.schema() // Check reports its error
	return b, nil
}

// Split separates the rules of the framework from those of the program, which it binds to values of
// a type. It leaves out a rule that cannot be bound, and a rule of the program among alternatives;
// both are mistakes. It also leaves out a rule whose [Own.Check] fails, without a mistake: that
// error is reported once, for the API.
func (b *Book) Split(rules []Rule, t reflect.Type) (framework []Rule, own []Bound, mistakes []error) {
	for _, r := range rules {
		if alternative := b.ownAlternative(r); alternative != "" {
			mistakes = append(mistakes, fmt.Errorf("rule %q is a rule of the program, which cannot be an alternative; write it after a comma", alternative))
			continue
		}
		o, ok := b.own[r.Name]
		if !ok {
			framework = append(framework, r)
			continue
		}
		if o.Check() != nil {
			continue // reported once, for the API
		}
		bound, err := o.bind(r, t)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		own = append(own, bound)
	}
	return framework, own, mistakes
}

// ownAlternative returns the first rule of the program among alternatives, or "" without one.
func (b *Book) ownAlternative(r Rule) string {
	if !strings.Contains(r.Name, "|") {
		return ""
	}
	for alternative := range strings.SplitSeq(r.Name, "|") {
		name, _, _ := strings.Cut(alternative, "=")
		if _, ok := b.own[name]; ok {
			return name
		}
	}
	return ""
}
