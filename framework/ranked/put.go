package ranked

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// A Field is text of a row with the weight of its words.
type Field struct {
	Text string
	// Weight is 1 to 1000; any other weight is an error of [Index.Put]. If a word is in
	// several fields, the highest weight counts.
	Weight int
	// Exact means that the words are codes, such as article numbers. A search finds them
	// by their beginnings, but never corrects a misspelt word to one of them, and their
	// trigrams are not stored. Defaults to false.
	Exact bool
}

// A Row is the stored data of one row: its primary key and its fields. The first field is
// its name.
type Row struct {
	Key    any
	Fields []Field
}

// Put replaces the stored words of one row. Call it in the transaction that writes the
// row, after the row is stored or locked, as [framework.Insert] and the functions of a
// declaration do. A session without a transaction and a weight out of bounds are errors.
// For a row of up to 256 terms it sends three statements: it deletes the old words, inserts
// the new ones, and reads which trigrams are stored. It inserts the trigrams of new words
// in further statements of 256 each. Without words it only deletes; without
// [Index.Grams] it stores no trigrams.
func (i Index) Put(ctx context.Context, s *sqldb.Session, key any, fields ...Field) error {
	return i.PutAll(ctx, s, slices.Values([]Row{{key, fields}}))
}

// PutAll is [Index.Put] for many rows, each key once. It stores up to 500 rows together. If
// it returns an error, earlier rows may be stored already: roll the transaction back. For very
// many rows, such as when a database is filled, call it with some thousand rows at a time,
// each in its own transaction.
func (i Index) PutAll(ctx context.Context, s *sqldb.Session, rows iter.Seq[Row]) error {
	if !s.InTx() {
		return errors.New("ranked: the words of a row are stored in the transaction that stores the row; this session has none")
	}
	b := batch{index: i, session: s, learned: map[string]bool{}}
	for row := range rows {
		if err := b.add(row); err != nil {
			return err
		}
		if b.full() {
			if err := b.store(ctx); err != nil {
				return err
			}
		}
	}
	return b.store(ctx)
}

// Remove deletes the words of rows; their trigrams stay. It needs no transaction: it sends
// one statement for each 500 keys. It is not needed if the foreign key of the table deletes
// the words with the row.
func (i Index) Remove(ctx context.Context, s *sqldb.Session, keys ...any) error {
	for some := range slices.Chunk(keys, mostRows) {
		if _, err := s.Exec(ctx, bun.SafeQuery(`DELETE FROM ? WHERE "key" IN (?)`, bun.Ident(i.Terms), sqldb.List(some))); err != nil {
			return err
		}
	}
	return nil
}

// Limits of one statement or batch.
const (
	mostRows   = 500
	mostTerms  = 8192 // of all rows together
	mostTuples = 256  // per statement: SQLite searches each parameter among all others
)

// A batch is rows that are about to be stored.
type batch struct {
	index   Index
	session *sqldb.Session
	keys    []any
	terms   [][]any         // key, term, weight, depth, spelt
	words   map[string]bool // words that a misspelt word may be corrected to
	learned map[string]bool // words whose trigrams are stored
}

func (b *batch) full() bool { return len(b.keys) >= mostRows || len(b.terms) >= mostTerms }

func (b *batch) add(row Row) error {
	terms, err := termsOf(row.Fields)
	if err != nil {
		return err
	}
	b.keys = append(b.keys, row.Key)
	if b.words == nil {
		b.words = map[string]bool{}
	}
	for _, t := range terms {
		b.terms = append(b.terms, []any{row.Key, t.text, t.weight, t.depth, t.spelt})
		if t.spelt && !hasNumber(t.text) && !b.learned[t.text] {
			b.words[t.text] = true
		}
	}
	return nil
}

func (b *batch) store(ctx context.Context) error {
	if err := b.index.Remove(ctx, b.session, b.keys...); err != nil {
		return err
	}
	if err := b.insert(ctx, b.index.Terms, `"key", term, weight, depth, spelt`, b.terms); err != nil {
		return err
	}
	if err := b.learn(ctx); err != nil {
		return err
	}
	b.keys, b.terms, b.words = nil, nil, nil
	return nil
}

// learn stores the trigrams of words that no row had before. The trigrams of a word are
// together, and all words are in order, so that two writers wait for each other and do
// not deadlock.
func (b *batch) learn(ctx context.Context) error {
	if b.index.Grams == "" {
		return nil
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(b.words)), mostTuples) {
		known, err := b.index.findKnown(ctx, b.session, some)
		if err != nil {
			return err
		}
		var grams [][]any
		for _, word := range some {
			b.learned[word] = true
			if known[word] {
				continue
			}
			for _, gram := range slices.Compact(slices.Sorted(slices.Values(trigrams(word)))) {
				grams = append(grams, []any{word, gram})
			}
		}
		if err := b.insert(ctx, b.index.Grams, "term, gram", grams); err != nil {
			return err
		}
	}
	return nil
}

// findKnown returns the words whose trigrams are stored.
func (i Index) findKnown(ctx context.Context, s *sqldb.Session, list []string) (map[string]bool, error) {
	known := map[string]bool{}
	err := each(ctx, s, bun.SafeQuery("SELECT DISTINCT 0, term FROM ? WHERE term IN (?)", bun.Ident(i.Grams), sqldb.List(list)), func(_ int, term string) {
		known[term] = true
	})
	return known, err
}

func (b *batch) insert(ctx context.Context, table, columns string, rows [][]any) error {
	for some := range slices.Chunk(rows, mostTuples) {
		q := bun.SafeQuery("INSERT INTO ? ("+columns+") VALUES ? ON CONFLICT DO NOTHING", bun.Ident(table), tuples(some))
		if _, err := b.session.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
