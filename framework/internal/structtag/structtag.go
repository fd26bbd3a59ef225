// Package structtag finds struct tags that are malformed or that nothing reads.
package structtag

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
)

// ownTags are the keys of struct tags that the framework and bun read.
var ownTags = []string{"validate", "json", "bun", "default", "ref", "to", "from", "trim", "doc", "example"}

// foreignTags are the keys that well-known packages read.
var foreignTags = []string{
	"asn1", "avro", "binding", "bson", "cbor", "csv", "datastore", "db", "dynamodbav", "enums", "env", "envconfig", "faker", "fake", "firestore",
	"form", "gorm", "graphql", "hcl", "header", "ini", "jsonschema", "koanf", "mapstructure", "mod", "msgpack", "param", "parquet", "pg",
	"properties", "protobuf", "protobuf_oneof", "query", "redis", "rel", "schema", "spanner", "sql", "swaggerignore", "swaggertype",
	"toml", "uri", "url", "valid", "xml", "xorm", "yaml",
}

// A Checker checks each struct type once. It is not safe for concurrent use.
type Checker struct {
	foreign []string
	checked map[reflect.Type]bool
}

// NewChecker returns a checker that accepts some keys beside those of well-known packages.
func NewChecker(foreign []string) *Checker {
	return &Checker{slices.Concat(foreignTags, foreign), map[reflect.Type]bool{}}
}

// Check reports the fields of a struct type, and of the struct types inside it, whose tag is malformed,
// has a key twice, or has a key that nothing reads.
func (c *Checker) Check(t reflect.Type, fault func(error)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		c.Check(t.Elem(), fault)
		return
	case reflect.Struct:
	default:
		return
	}
	if c.checked[t] || t == naming.TimeType {
		return
	}
	c.checked[t] = true
	for f := range t.Fields() {
		place := naming.ShortName(t, "struct") + "." + f.Name
		keys, err := tagKeys(string(f.Tag))
		if err != nil {
			fault(naming.Sentence("%s: %w", place, err))
		}
		for _, key := range keys {
			if err := c.unread(key); err != nil {
				fault(naming.Sentence("%s: %w", place, err))
			}
		}
		c.Check(f.Type, fault)
	}
}

// unread returns the mistake of a key that nothing reads, nil for any other key.
func (c *Checker) unread(key string) error {
	switch near := naming.Nearest(key, ownTags); {
	case slices.Contains(ownTags, key) || slices.Contains(c.foreign, key):
		return nil
	case near != "":
		return naming.Sentence("the tag %q means nothing here; did you mean %q?", key, near)
	case slices.Contains(rule.Names(), key):
		return naming.Sentence("the tag %q means nothing here; rules are in the tag validate, such as `validate:%q`", key, key)
	}
	return naming.Sentence("the tag %q means nothing here; remove it or, if another package reads it, list it in ForeignTags of framework.Config", key)
}

// tagKeys lists the keys of a struct tag, which has pairs key:"value" with a space between them.
// A malformed part, a key that appears twice and a missing space are errors. With an error, it
// still returns the keys that it read before the mistake.
func tagKeys(tag string) (keys []string, err error) {
	for rest := tag; ; {
		if rest = strings.TrimLeft(rest, " "); rest == "" {
			return keys, nil
		}
		key, after, ok := strings.Cut(rest, ":")
		value, quoted := strconv.QuotedPrefix(after)
		switch {
		case !ok || key == "" || strings.ContainsAny(key, " \t\"") || quoted != nil || value[0] != '"':
			return keys, naming.Sentence("the tag `%s` is malformed at `%s`; write pairs key:\"value\" with a space between them", tag, rest)
		case slices.Contains(keys, key):
			return keys, naming.Sentence("the tag `%s` has the key %q twice, and the second is not read", tag, key)
		}
		keys = append(keys, key)
		if rest = after[len(value):]; rest != "" && rest[0] != ' ' {
			return keys, naming.Sentence("the tag `%s` needs a space before `%s`", tag, rest)
		}
	}
}
