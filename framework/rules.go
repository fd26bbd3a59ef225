package framework

import "trestle.example/framework/internal/rule"

// A Rule is a rule of the program for the tag validate of inputs. [Config].Rules declares it. Make
// it with [RuleOf] or [RuleWith]. It has these methods, which return the rule with a change:
//
//	func (r Rule) Code(code string) Rule       // the code of the fault; the name by default
//	func (r Rule) Schema(keywords string) Rule // keywords of JSON Schema for the OpenAPI document
type Rule = rule.Own

// RuleOf makes a rule that judges values of the type T, and of types with T's kind if T is a text, a
// number or a boolean. The name is the word in tags: `validate:"sku"`. The detail is the sentence for
// clients, without a full stop: "must be a stock number". The valid function returns whether a value
// satisfies the rule; many requests call it at the same time. It also judges blank text and 0, unless
// the tag has omitempty; it does not judge null.
//
//	framework.RuleOf("sku", "must be a stock number such as AB-1234", isSKU).Schema(`{"pattern":"^[A-Z]{2}-[0-9]{4}$"}`)
//
// A rule of the program is judged after those of the framework. Mistakes stop the program at start:
// the name or the code of a rule of the framework, a name that is used twice, and a field of another type.
func RuleOf[T any](name, detail string, valid func(T) bool) Rule {
	return rule.NewOwn(name, detail, valid)
}

// RuleWith makes a rule with a parameter: `validate:"multiple=5"`. The detail contains %s once, for
// the parameter: "must be a multiple of %s". The framework calls compile at start for each field
// with the rule, and more than once if several inputs have the field. Its error is a mistake in the
// tag. See [RuleOf].
func RuleWith[T any](name, detail string, compile func(param string) (valid func(T) bool, err error)) Rule {
	return rule.NewOwnWith(name, detail, compile)
}
