package contract

import (
	"encoding/json"
	"slices"
	"strings"
)

// A node is a value in JSON syntax that may be invalid: raw text, an object that may have
// members with the same name, or a list.
type node struct {
	raw     string // the text of a node that is neither object nor list
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

// A member is one member of an object.
type member struct {
	name  string
	value *node
}

// raw returns a node with unchanged text.
func raw(text string) *node { return &node{raw: text} }

// quote returns a node with a text as a JSON string.
func quote(text string) *node {
	encoded, err := json.Marshal(text)
	if err != nil {
		return raw(`""`) // cannot happen: every text can be encoded
	}
	return raw(string(encoded))
}

// String returns the node as JSON.
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
			b.WriteString(quote(m.name).raw + ":")
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

// text returns the node for a path or a query.
func (n *node) text() string {
	var text string
	if json.Unmarshal([]byte(n.raw), &text) == nil {
		return text
	}
	return n.String()
}

// objects returns all objects in the node, including itself.
func (n *node) objects() (all []*node) {
	if n.kind == isObject {
		all = append(all, n)
	}
	for _, inner := range n.inner() {
		all = append(all, inner.objects()...)
	}
	return all
}

// all returns the node and all nodes inside it.
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
