package sqltext

import (
	"database/sql/driver"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// A Lookup is a [Template] of the rows that have a key. Reads by different keys
// that wait at the same time share one execution, as equal ones do in
// Session.Read, and each is given the rows of its own. It is safe for
// concurrent use.
type Lookup struct{ one, several *Template }

// NewLookup makes a lookup. build writes its statement, as for [NewTemplate],
// with the condition of [Values.Key], with the key as the last of its columns and
// without a LIMIT. It is called for one key and for several.
func NewLookup(build func(v Values) schema.QueryAppender) *Lookup {
	limited := func(several bool) *Template {
		return NewTemplate(func(v Values) schema.QueryAppender {
			v.several, v.first = several, 2
			// The sum keeps SQLite from planning for the number: see Window.
			return bun.SafeQuery("? LIMIT ? + 0", build(v), v.place(1))
		})
	}
	return &Lookup{one: limited(false), several: limited(true)}
}

// Of returns the templates of a lookup: for one key, and for several.
func Of(l *Lookup) (one, several *Template) { return l.one, l.several }

// Key compares the expression before it with a lookup's key, or with each of its
// keys: Where("?TableAlias.? ?", bun.Ident("id"), v.Key()).
func (v Values) Key() schema.QueryAppender {
	switch {
	case !v.several:
		return bun.SafeQuery("= ?", v.place(0))
	case v.kind == dialect.PostgreSQL:
		return bun.SafeQuery("= ANY(?)", v.place(0))
	}
	return bun.SafeQuery("IN (SELECT value FROM json_each(?))", v.place(0))
}

// Hash compares the expression before it with a lookup's key, or with each of its keys.
// The key must be a hash of 32 bytes.
func (v Values) Hash() schema.QueryAppender {
	if v.several && v.kind == dialect.SQLite {
		return bun.SafeQuery("IN (SELECT unhex(value) FROM json_each(?))", v.place(0))
	}
	return v.Key()
}

const (
	uuidLen = 36 // in text, longer than any integer
	hashLen = 64 // in hexadecimal digits
)

// KeyText returns the text that identifies a key and its rows. It returns false for a key of
// another type than uuid.UUID, int64, int and [32]byte: the database may consider two
// different keys of that type equal.
func KeyText(key any) (string, bool) {
	switch key := key.(type) {
	case uuid.UUID:
		return key.String(), true
	case int64:
		return strconv.FormatInt(key, 10), true
	case int:
		return strconv.Itoa(key), true
	case [32]byte:
		return hex.EncodeToString(key[:]), true
	}
	return "", false
}

// ColumnText returns the value of a key column as [KeyText] writes it, "" for a value that
// is neither a string nor a []byte nor an int64.
func ColumnText(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		if len(v) == hashLen/2 {
			return hex.EncodeToString(v)
		}
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// KeyList returns the parameter for at least one key: an array of PostgreSQL, or a JSON array
// for SQLite. It quotes hashes and strings of JSON; other keys need no quotes.
func KeyList(k dialect.Kind, keys []string) string {
	switch {
	case k == dialect.PostgreSQL && len(keys[0]) == hashLen:
		return `{"\\x` + strings.Join(keys, `","\\x`) + `"}`
	case k == dialect.PostgreSQL:
		return "{" + strings.Join(keys, ",") + "}"
	case len(keys[0]) >= uuidLen:
		return `["` + strings.Join(keys, `","`) + `"]`
	}
	return "[" + strings.Join(keys, ",") + "]"
}
