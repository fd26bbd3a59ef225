package sqldb

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// A Lookup is a [Template] of the rows that have a key. Reads by different keys
// that wait at the same time share one execution, as equal ones do in
// [Session.Read], and each is given the rows of its own. It is safe for
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

// Key compares what stands before it with a lookup's key, or with each of its
// keys: Where("?TableAlias.? ?", bun.Ident("id"), v.Key()).
func (v Values) Key() schema.QueryAppender {
	switch {
	case !v.several:
		return bun.SafeQuery("= ?", v.place(0))
	case v.kind == PostgreSQL:
		return bun.SafeQuery("= ANY(?)", v.place(0))
	}
	return bun.SafeQuery("IN (SELECT value FROM json_each(?))", v.place(0))
}

const (
	uuidLen = 36 // in text, longer than any integer
	hashLen = 64 // in hexadecimal digits
)

// togetherMost is how many rows are read at most for several keys at once.
const togetherMost = 1000

// errManyKeys says that several keys cannot be answered at once.
var errManyKeys = errors.New("sqldb: the keys have too many rows to be read together, or some that none of them is told by")

// Hash compares what stands before it with a lookup's key, or with each of its keys,
// where the key is a hash of 32 bytes.
func (v Values) Hash() schema.QueryAppender {
	if v.several && v.kind == SQLite {
		return bun.SafeQuery("IN (SELECT unhex(value) FROM json_each(?))", v.place(0))
	}
	return v.Key()
}

// ReadBy reads the rows that have a key, at most so many, in the order of the
// statement; values are those beside the key, as for [Param]. Only keys that are
// a [uuid.UUID], an int, an int64 or a hash, a [32]byte, share an execution: two of
// another kind that differ may be one to the database.
func (s *Session) ReadBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	if s.replica != nil {
		return s.replica.readBy(ctx, l, key, most, values...)
	}
	text, single := keyText(key)
	if hash, ok := key.([32]byte); ok {
		key = hash[:]
	}
	values = append([]any{key, most}, values...)
	alone := func(ctx context.Context) (*Result, error) { return s.Read(ctx, l.one.With(values...)) }
	several := s.db.template(l.several)
	if !single || !s.sharesLookups(several) {
		return alone(ctx)
	}
	group, err := bound(values[1:])
	if err != nil || group == nil {
		return alone(ctx)
	}
	of := shareKeyOf(several.text, group)
	found, err := s.db.lookups.do(ctx, of, text, func(ctx context.Context, keys []string) (keyedResults, error) {
		slices.Sort(keys)
		if keys = slices.Compact(keys); len(keys) > 1 || keys[0] != text { // one whose asker may have left
			return s.readTogether(ctx, l, keys, values)
		}
		r, err := alone(ctx)
		if err != nil {
			return keyedResults{}, err
		}
		return keyedResults{keys, []Result{*r}}, nil
	})
	return found.of(text), err
}

// sharesLookups reports whether several keys may be asked for at once.
func (s *Session) sharesLookups(several *built) bool {
	return sharing != "off" && s.tx == nil && !s.db.core.options.NoPrepare && several.sharable && !s.db.inlined.has(several.text)
}

// readTogether reads the rows of several keys and tells them apart.
func (s *Session) readTogether(ctx context.Context, l *Lookup, keys []string, values []any) (keyedResults, error) {
	each := int(min(values[1].(int64), togetherMost)) //nolint:forcetypeassert // ReadBy put it there
	most := min(togetherMost, each*len(keys))
	values = slices.Concat([]any{s.db.core.kind.keyList(keys), most + 1}, values[2:])
	all, err := s.Read(ctx, l.several.With(values...))
	switch {
	case err != nil:
		return keyedResults{}, err
	case all.Len() > most:
		return keyedResults{}, errManyKeys
	}
	return all.byKey(keys, each)
}

// keyedResults are the rows of each of several keys, which are sorted.
type keyedResults struct {
	keys    []string
	results []Result
}

// of is nil where the key is none of them.
func (k keyedResults) of(key string) *Result {
	if i, known := slices.BinarySearch(k.keys, key); known {
		return &k.results[i]
	}
	return nil
}

// byKey are the rows of each key, so many at most, by their last column. All their
// values are in one array.
func (r *Result) byKey(keys []string, each int) (keyedResults, error) {
	found := keyedResults{keys, make([]Result, len(keys))}
	for i := range found.results {
		found.results[i].columns = r.columns
	}
	of, lengths := make([]int, r.Len()), make([]int, len(keys))
	for i := range of {
		row := r.Row(i)
		at, known := slices.BinarySearch(keys, columnText(row[len(row)-1]))
		if !known {
			return keyedResults{}, errManyKeys
		}
		of[i] = at
		lengths[at] += r.columns
	}
	values, begin := make([]driver.Value, len(r.values)), 0
	for i, length := range lengths {
		found.results[i].values = values[begin : begin : begin+length]
		begin += length
	}
	for i, at := range of {
		if result := &found.results[at]; result.Len() < each {
			result.values = append(result.values, r.Row(i)...)
		}
	}
	return found, nil
}

// keyText is the text by which a key and its rows are told; false for keys of
// which two might be equal to the database.
func keyText(key any) (string, bool) {
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

// columnText is a key as keyText writes it; nothing for what is no such key.
func columnText(v driver.Value) string {
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

// keyList is the parameter of several keys, in which nothing needs quotes but
// the texts of JSON: an array of PostgreSQL, or of JSON.
func (k Kind) keyList(keys []string) string {
	switch {
	case k == PostgreSQL && len(keys[0]) == hashLen:
		return `{"\\x` + strings.Join(keys, `","\\x`) + `"}`
	case k == PostgreSQL:
		return "{" + strings.Join(keys, ",") + "}"
	case len(keys[0]) >= uuidLen:
		return `["` + strings.Join(keys, `","`) + `"]`
	}
	return "[" + strings.Join(keys, ",") + "]"
}
