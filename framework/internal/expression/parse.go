package expression

import (
	"strings"
	"unicode/utf8"
)

// Limits limit one expression. All are at least 1.
type Limits struct {
	Length      int // in characters
	Depth       int // of parentheses in parentheses
	Comparisons int
	Related     int // comparisons and parentheses about rows of relations to several rows
}

// Parse reads an expression. It stops at the first fault.
func Parse(text string, limits Limits) (Node, *Fault) {
	if utf8.RuneCountInString(text) > limits.Length {
		return nil, faultAt(0, "must have at most %d characters", limits.Length)
	}
	p := &parser{lexer: lexer{text: []rune(text)}, limits: limits}
	if fault := p.advance(); fault != nil {
		return nil, fault
	}
	n, fault := p.expression()
	if fault != nil {
		return nil, fault
	}
	if p.next.kind != tokenEnd {
		return nil, p.trailing()
	}
	return n, nil
}

// A parser reads the tokens of an expression.
type parser struct {
	lexer       lexer
	next        token
	limits      Limits
	depth       int
	comparisons int
}

func (p *parser) advance() (fault *Fault) {
	p.next, fault = p.lexer.next()
	return fault
}

// joins reports whether the next token is AND or OR.
func (p *parser) joins() bool { return p.next.kind == tokenWord && p.next.text != "NOT" }

// expression reads terms with one of AND and OR between them.
func (p *parser) expression() (Node, *Fault) {
	first, fault := p.term()
	if fault != nil || !p.joins() {
		return first, fault
	}
	terms, words := []Node{first}, []token(nil)
	for p.joins() {
		words = append(words, p.next)
		if fault := p.advance(); fault != nil {
			return nil, fault
		}
		term, fault := p.term()
		if fault != nil {
			return nil, fault
		}
		terms = append(terms, term)
	}
	for _, w := range words {
		if w.text != words[0].text {
			return nil, faultAt(w.at, "AND beside OR needs parentheses; write %s, or %s", reading("AND", terms, words), reading("OR", terms, words))
		}
	}
	return &Joined{words[0].text, terms}, nil
}

// reading is the text of terms if one of AND and OR binds them more tightly than the other.
func reading(tight string, terms []Node, words []token) string {
	of := &Joined{Word: tight}
	text := func(term Node) string { return clip(textOf(term, of)) }
	var parts []string
	group := []string{text(terms[0])}
	finish := func() {
		part := strings.Join(group, " "+tight+" ")
		if len(group) > 1 {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	for i, w := range words {
		if w.text != tight {
			finish()
			group = nil
		}
		group = append(group, text(terms[i+1]))
	}
	finish()
	loose := map[string]string{"AND": " OR ", "OR": " AND "}[tight]
	return strings.Join(parts, loose)
}

// clipped is the number of characters that a sentence shows of a term.
const clipped = 40

func clip(text string) string {
	if utf8.RuneCountInString(text) <= clipped {
		return text
	}
	return string([]rune(text)[:clipped-1]) + "…"
}

// term reads a part of an expression, with NOT before it or without.
func (p *parser) term() (Node, *Fault) {
	if p.next.kind != tokenWord || p.next.text != "NOT" {
		return p.primary()
	}
	if fault := p.advance(); fault != nil {
		return nil, fault
	}
	if p.next.kind == tokenWord && p.next.text == "NOT" {
		return nil, faultAt(p.next.at, "NOT is here twice; leave out both")
	}
	of, fault := p.primary()
	return &Not{of}, fault
}

// primary reads a comparison, an expression in parentheses, or one about related rows.
func (p *parser) primary() (Node, *Fault) {
	first := p.next
	switch first.kind {
	case tokenOpen:
		return p.parentheses()
	case tokenName:
	default:
		return nil, p.missing()
	}
	if fault := p.advance(); fault != nil {
		return nil, fault
	}
	switch p.next.kind {
	case tokenOpen:
		of, fault := p.parentheses()
		return &Some{Name{first.text, first.at}, of}, fault
	case tokenOperator:
		return p.comparison(first)
	default:
		if fault := p.smallWord(first); fault != nil {
			return nil, fault
		}
		return nil, faultAt(p.next.at, "an operator and a value are missing after %q; words alone are not searched for", clip(first.text))
	}
}

// parentheses reads an expression in parentheses.
func (p *parser) parentheses() (Node, *Fault) {
	opened := p.next
	if p.depth++; p.depth > p.limits.Depth {
		return nil, faultAt(opened.at, "parentheses can be in parentheses %d deep at most", p.limits.Depth)
	}
	if fault := p.advance(); fault != nil {
		return nil, fault
	}
	n, fault := p.expression()
	switch {
	case fault != nil:
		return nil, fault
	case p.next.kind == tokenEnd:
		return nil, faultAt(opened.at, "this parenthesis is not closed")
	case p.next.kind != tokenClose:
		return nil, p.trailing()
	}
	p.depth--
	return n, p.advance()
}

// comparison reads an operator and a value.
func (p *parser) comparison(field token) (Node, *Fault) {
	n := &Comparison{Field: Name{field.text, field.at}, Operator: p.next.text}
	if p.comparisons++; p.comparisons > p.limits.Comparisons {
		return nil, faultAt(field.at, "there can be at most %d comparisons", p.limits.Comparisons)
	}
	if fault := p.advance(); fault != nil {
		return nil, fault
	}
	n.Value = Value{Text: p.next.text, At: p.next.at}
	switch p.next.kind {
	case tokenText:
	case tokenNumber:
		n.Value.Kind = Number
	case tokenValue:
		n.Value.Kind = Boolean
		if p.next.text == "null" {
			n.Value.Kind = Null
		}
	case tokenName:
		return nil, p.namedValue()
	default:
		return nil, faultAt(p.next.at, "a value is missing after %s", n.Operator)
	}
	return n, p.advance()
}

// namedValue is the fault of a name instead of a value.
func (p *parser) namedValue() *Fault {
	switch small := strings.ToLower(p.next.text); small {
	case "true", "false", "null":
		return faultAt(p.next.at, "write %s in small letters", small)
	}
	return faultAt(p.next.at, "a field is compared with a value, and a text is in double quotes: %s", quote(clip(p.next.text)))
}

// missing is the fault of a token where a comparison should begin.
func (p *parser) missing() *Fault {
	switch p.next.kind {
	case tokenEnd:
		return faultAt(p.next.at, "a comparison is missing at the end")
	case tokenClose, tokenWord:
		return faultAt(p.next.at, "a comparison is missing before %s", p.next.text)
	case tokenOperator:
		return faultAt(p.next.at, "a field is missing before %s", p.next.text)
	default:
		return faultAt(p.next.at, "a comparison begins with a field, and its value is after the operator")
	}
}

// trailing is the fault of a token after which an expression goes on, although it has ended.
func (p *parser) trailing() *Fault {
	if p.next.kind == tokenClose {
		return faultAt(p.next.at, "no parenthesis is open here")
	}
	if fault := p.smallWord(p.next); fault != nil {
		return fault
	}
	return faultAt(p.next.at, "AND or OR is missing here")
}

// smallWord is the fault of a name that is AND, OR or NOT in small letters; nil for any other token.
func (p *parser) smallWord(t token) *Fault {
	capital := strings.ToUpper(t.text)
	if t.kind == tokenName && (capital == "AND" || capital == "OR" || capital == "NOT") {
		return faultAt(t.at, "write %s in capital letters", capital)
	}
	return nil
}
