package expression

import (
	"strings"

	"trestle.example/framework/internal/wire"
)

// A Node is an expression or a part of one: a [Joined], a [Not], a [Comparison] or a [Some].
type Node interface {
	// write appends the expression. within is the node that has it; nil for none.
	write(b *strings.Builder, within Node)
}

// A Joined is two or more expressions between which there is AND or OR.
type Joined struct {
	Word  string // AND or OR
	Terms []Node
}

// A Not is the opposite of an expression.
type Not struct{ Of Node }

// A Comparison compares a field with a value.
type Comparison struct {
	Field    Name
	Operator string // one of = != < <= > >=
	Value    Value
}

// A Some is true if one related row satisfies an expression.
type Some struct {
	Relation Name
	Of       Node
}

// A Name is a path of names, such as patient.city, and the place of its first character, from 1.
type Name struct {
	Text string
	At   int
}

// A Value is what a field is compared with.
type Value struct {
	Kind Kind
	Text string // without quotes and escapes
	At   int
}

// A Kind is the kind of a value.
type Kind int

// The kinds of values.
const (
	Text Kind = iota
	Number
	Boolean
	Null
)

// Print returns the text of an expression. [Parse] makes an equal expression of it.
func Print(n Node) string { return textOf(n, nil) }

func textOf(n, within Node) string {
	var b strings.Builder
	n.write(&b, within)
	return b.String()
}

func (n *Joined) write(b *strings.Builder, within Node) {
	open(b, within, "(")
	for i, term := range n.Terms {
		if i > 0 {
			b.WriteString(" " + n.Word + " ")
		}
		term.write(b, n)
	}
	open(b, within, ")")
}

// open writes a parenthesis around a part that AND, OR or NOT has.
func open(b *strings.Builder, within Node, parenthesis string) {
	switch within.(type) {
	case *Joined, *Not:
		b.WriteString(parenthesis)
	}
}

func (n *Not) write(b *strings.Builder, within Node) {
	_, twice := within.(*Not)
	if twice {
		b.WriteString("(")
	}
	b.WriteString("NOT ")
	n.Of.write(b, n)
	if twice {
		b.WriteString(")")
	}
}

func (n *Comparison) write(b *strings.Builder, _ Node) {
	b.WriteString(n.Field.Text + " " + n.Operator + " ")
	if n.Value.Kind == Text {
		b.WriteString(quote(n.Value.Text))
		return
	}
	b.WriteString(n.Value.Text)
}

func (n *Some) write(b *strings.Builder, _ Node) {
	b.WriteString(n.Relation.Text + "(")
	n.Of.write(b, nil)
	b.WriteString(")")
}

// quote writes a text as JSON does.
func quote(text string) string { return string(wire.AppendJSON(nil, text)) }
