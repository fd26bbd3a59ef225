package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// togetherMost is how many rows several keys may have together. If they have more, each key is
// read by itself.
const togetherMost = 1000

// errManyKeys means that the rows of several keys cannot be read by one statement.
var errManyKeys = errors.New("sqldb: the keys have too many rows to be read together, or the last column of a row is not one of the keys")

// ReadBy reads at most the given number of rows that have a key, in the order of the
// statement. values are the statement's other values, as for [Param]. Keys that are a
// uuid.UUID, an int, an int64 or a hash ([32]byte) share an execution. Keys of other
// types do not, because the database may consider two different ones equal.
func (s *Session) ReadBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	return s.reader.readBy(ctx, l, key, most, values...)
}

func (t txReader) readBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	one, _ := sqltext.Of(l)
	return t.read(ctx, one.With(lookupValues(key, most, values)...))
}

func (p poolReader) readBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	text, single := sqltext.KeyText(key)
	one, shared := sqltext.Of(l)
	values = lookupValues(key, most, values)
	alone := func(ctx context.Context) (*Result, error) { return p.read(ctx, one.With(values...)) }
	several := p.db.statements.Template(shared)
	if !single || !p.db.sharesLookups(several) {
		return alone(ctx)
	}
	group, err := sqltext.Bound(values[1:])
	if err != nil || group == nil {
		return alone(ctx)
	}
	of := share.KeyOf(several.Text, group)
	found, err := p.db.lookups.Do(ctx, of, text, func(ctx context.Context, keys []string) (keyedResults, error) {
		slices.Sort(keys)
		if keys = slices.Compact(keys); len(keys) > 1 || keys[0] != text { // or the caller of the one key has left
			return p.readTogether(ctx, shared, keys, values)
		}
		r, err := alone(ctx)
		if err != nil {
			return keyedResults{}, err
		}
		return keyedResults{keys, []Result{*r}}, nil
	})
	return found.of(text), err
}

// lookupValues returns the values of a lookup: the key, the largest number of rows, and the
// values of the program. A hash becomes a []byte.
func lookupValues(key any, most int64, values []any) []any {
	if hash, ok := key.([32]byte); ok {
		key = hash[:]
	}
	return append([]any{key, most}, values...)
}

// sharesLookups reports whether one statement may read the rows of several keys.
func (db *DB) sharesLookups(several *sqltext.Built) bool {
	return sharing != "off" && !db.options.NoPrepare && several.Sharable && !db.inlined.Has(several.Text)
}

// readTogether reads the rows of several keys and splits them by key. It returns errManyKeys
// if there are more rows than togetherMost, or than all keys together may have.
func (p poolReader) readTogether(ctx context.Context, l *Template, keys []string, values []any) (keyedResults, error) {
	each := int(min(values[1].(int64), togetherMost)) //nolint:forcetypeassert // readBy put it there
	most := min(togetherMost, each*len(keys))
	values = slices.Concat([]any{sqltext.KeyList(p.db.kind, keys), most + 1}, values[2:])
	all, err := p.read(ctx, l.With(values...))
	switch {
	case err != nil:
		return keyedResults{}, err
	case all.Len() > most:
		return keyedResults{}, errManyKeys
	}
	return byKey(all, keys, each)
}

// keyedResults are the rows of each of several keys, which are sorted.
type keyedResults struct {
	keys    []string
	results []Result
}

// of returns the rows of a key, or nil if it is not one of the keys.
func (k keyedResults) of(key string) *Result {
	if i, known := slices.BinarySearch(k.keys, key); known {
		return &k.results[i]
	}
	return nil
}

// byKey splits rows by the key in their last column. For each key it keeps at most as many
// rows as the parameter each states. It returns errManyKeys if the last column of a row is
// not one of the keys. All values are in one array.
func byKey(r *Result, keys []string, each int) (keyedResults, error) {
	columns := connection.Columns(r)
	of, lengths := make([]int, r.Len()), make([]int, len(keys))
	for i := range of {
		row := r.Row(i)
		at, known := slices.BinarySearch(keys, sqltext.ColumnText(row[len(row)-1]))
		if !known {
			return keyedResults{}, errManyKeys
		}
		of[i] = at
		lengths[at] += columns
	}
	values, parts, begin := make([]driver.Value, len(of)*columns), make([][]driver.Value, len(keys)), 0
	for i, length := range lengths {
		parts[i] = values[begin : begin : begin+length]
		begin += length
	}
	for i, at := range of {
		if len(parts[at]) < each*columns {
			parts[at] = append(parts[at], r.Row(i)...)
		}
	}
	found := keyedResults{keys, make([]Result, len(keys))}
	for i, part := range parts {
		found.results[i] = *connection.NewResult(columns, part)
	}
	return found, nil
}
