package contract

import (
	"encoding/json"
	"slices"
	"strings"
)

// A node is a JSON value that need not be one: as text, an object whose members
// may have the same name, or a list.
type node struct {
	raw     string // of what is neither object nor list
	members []*member
	items   []*node
	kind    nodeKind
}

type nodeKind int

const (
	isRaw nodeKind = iota
	isObject
	isList
)

// A member is one of an object.
type member struct {
	name  string
	value *node
}

// raw is JSON as it is.
func raw(text string) *node { return &node{raw: text} }

// quoted is text as JSON.
func quoted(text string) *node {
	encoded, err := json.Marshal(text)
	if err != nil {
		return raw(`""`) // which cannot be: text can always be written
	}
	return raw(string(encoded))
}

// String is the node as JSON.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case isRaw:
		b.WriteString(n.raw)
	case isObject:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(m.name).raw + ":")
			m.value.write(b)
		}
		b.WriteByte('}')
	case isList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	}
}

// text is the node as it stands in a path or a query.
func (n *node) text() string {
	var text string
	if json.Unmarshal([]byte(n.raw), &text) == nil {
		return text
	}
	return n.String()
}

// objects are the node and those inside it that have members, or could.
func (n *node) objects() (all []*node) {
	if n.kind == isObject {
		all = append(all, n)
	}
	for _, inner := range n.inner() {
		all = append(all, inner.objects()...)
	}
	return all
}

// all are the node and those inside it.
func (n *node) all() []*node {
	all := []*node{n}
	for _, inner := range n.inner() {
		all = append(all, inner.all()...)
	}
	return all
}

func (n *node) inner() []*node {
	inner := slices.Clone(n.items)
	for _, m := range n.members {
		inner = append(inner, m.value)
	}
	return inner
}
