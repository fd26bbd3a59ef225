package sqldb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/sqltext"
)

type author struct {
	bun.BaseModel `bun:"table:authors,alias:a"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type book struct {
	bun.BaseModel `bun:"table:books,alias:b"`

	ID       uuid.UUID `bun:",pk"`
	AuthorID uuid.UUID
	Author   *author `bun:"rel:belongs-to,join:author_id=id"`
	Title    string
	Pages    int64
	Cover    []byte
	Facts    map[string]string `bun:"type:jsonb"`
	PrintedT time.Time         `bun:"printed_at"`
	GoneAt   time.Time         `bun:",soft_delete,nullzero"`
}

const secret = "s3cret'; DROP TABLE books; -- ?0 $1"

// TestValuesAreParameters shows for each way of writing a statement with bun
// that its text holds no value, and that its values are all there, in order.
func TestValuesAreParameters(t *testing.T) {
	id := uuid.MustParse("0190a0b0-0000-7000-8000-00000000cafe")
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901999, time.FixedZone("", 3600))
	const idText, atText = "0190a0b0-0000-7000-8000-00000000cafe", "2026-01-02 02:04:05.678901+00:00"
	full := book{ID: id, AuthorID: id, Title: secret, Pages: 7, Cover: []byte(secret), Facts: map[string]string{"k": secret}, PrintedT: at}
	facts := `{"k":"` + secret + `"}`

	for _, c := range []struct {
		name  string
		build func(db *DB) schema.QueryAppender
		args  []any
		holds string
	}{
		{"select by key", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*author)(nil)).Where("a.id = ?", Param(id))
		}, []any{idText}, "WHERE (a.id = @1)"},
		{"where with a plain text", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*author)(nil)).Where("name = ? OR ? = name", secret, secret)
		}, []any{secret, secret}, "name = @1 OR @2 = name"},
		{"named text", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*author)(nil)).Where("name = ?", namedText(secret))
		}, []any{secret}, "name = @1"},
		{"key of a model", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model(&author{ID: id}).WherePK()
		}, []any{idText}, "@1"},
		{"keys of a slice of models", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model(&[]author{{ID: id}, {ID: id}}).WherePK()
		}, []any{idText, idText}, "@1"},
		{"list", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*author)(nil)).Where("name IN (?)", bun.List([]string{secret, "b"}))
		}, []any{secret, "b"}, "IN (@1, @2)"},
		{"list of parameters", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*author)(nil)).Where("id IN (?)", bun.List([]schema.QueryAppender{Param(1), Param(id)}))
		}, []any{int64(1), idText}, "IN (@1, @2)"},
		{"relation", func(db *DB) schema.QueryAppender {
			return db.NewSelect().Model((*book)(nil)).Relation("Author").Where("author.name = ?", secret)
		}, []any{secret}, "LEFT JOIN"},
		{"join, group and order", func(db *DB) schema.QueryAppender {
			return db.NewSelect().TableExpr("books AS b").ColumnExpr("? AS c", secret).Join("JOIN authors AS a ON a.name = ?", "j").
				Where("b.title = ?", "w").GroupExpr("?", "g").Having("max(b.title) = ?", "h").OrderExpr("b.title = ?", "o")
		}, []any{secret, "j", "w", "g", "h", "o"}, "JOIN authors AS a ON a.name = @2"},
		{"subquery, union and with", func(db *DB) schema.QueryAppender {
			inner := db.NewSelect().Model((*author)(nil)).Column("id").Where("name = ?", secret)
			return db.NewSelect().With("w", inner.Clone()).TableExpr("w").Where("id IN (?)", inner).Union(inner.Clone())
		}, []any{secret, secret, secret}, "WITH"},
		{"insert a model", func(db *DB) schema.QueryAppender { return db.NewInsert().Model(&full) },
			[]any{idText, idText, secret, []byte(secret), facts, atText}, "INSERT INTO"},
		{"insert models with returning", func(db *DB) schema.QueryAppender {
			return db.NewInsert().Model(&[]author{{ID: id, Name: secret}, {ID: id, Name: "b"}}).Returning("*, ?", "r")
		}, []any{idText, secret, idText, "b", "r"}, "RETURNING"},
		{"insert a map", func(db *DB) schema.QueryAppender {
			return db.NewInsert().Model(&map[string]any{"id": id, "name": secret, "pages": Param(7), "printed_at": at}).TableExpr("books")
		}, []any{idText, secret, int64(7), atText}, "VALUES (@1, @2, @3, @4)"},
		{"upsert", func(db *DB) schema.QueryAppender {
			return db.NewInsert().Model(&author{ID: id, Name: secret}).On("CONFLICT (id) DO UPDATE").Set("name = ?", "u").Where("a.name = ?", "w")
		}, []any{idText, secret, "u", "w"}, "DO UPDATE SET name = @3"},
		{"insert with an expression", func(db *DB) schema.QueryAppender {
			return db.NewInsert().Model(&author{ID: id}).Value("name", "upper(?)", secret)
		}, []any{idText, secret}, "upper(@2)"},
		{"update", func(db *DB) schema.QueryAppender {
			return db.NewUpdate().Model((*author)(nil)).Set("name = ?", secret).Where("id = ?", Param(id)).Returning("name")
		}, []any{secret, idText}, "SET name = @1"},
		{"update a model", func(db *DB) schema.QueryAppender {
			return db.NewUpdate().Model(&author{ID: id, Name: secret}).WherePK()
		}, []any{secret, idText}, "UPDATE"},
		{"update a map", func(db *DB) schema.QueryAppender {
			return db.NewUpdate().Model(&map[string]any{"name": secret}).TableExpr("authors").Where("id = ?", id)
		}, []any{secret, idText}, `"name" = @1`},
		{"bulk update", func(db *DB) schema.QueryAppender {
			return db.NewUpdate().Model(&[]author{{ID: id, Name: secret}}).Column("name").Bulk()
		}, []any{idText, secret}, "_data"},
		{"delete", func(db *DB) schema.QueryAppender {
			return db.NewDelete().Model((*author)(nil)).Where("name = ?", secret)
		}, []any{secret}, "DELETE FROM"},
		{"raw", func(db *DB) schema.QueryAppender { return db.NewRaw("SELECT ?, ?1, ?0", secret, "b") },
			[]any{secret, "b", secret}, "SELECT @1, @2, @3"},
		{"struct arguments", func(db *DB) schema.QueryAppender { return db.NewRaw("SELECT ?name", author{Name: secret}) },
			[]any{secret}, "SELECT @1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, db := range both(t) {
				text, args, err := db.render(c.build(db))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(args, c.args) {
					t.Errorf("%s: values are\n%#v, want\n%#v\nin %s", db.Kind(), args, c.args, text)
				}
				if strings.Contains(text, "cret") || strings.Contains(text, "cafe") || strings.Contains(text, "2026") {
					t.Errorf("%s: the text holds a value: %s", db.Kind(), text)
				}
				mark := map[Kind]string{SQLite: "?", PostgreSQL: "$"}[db.Kind()]
				if holds := strings.ReplaceAll(c.holds, "@", mark); !strings.Contains(text, holds) {
					t.Errorf("%s: %s\ndoes not hold %s", db.Kind(), text, holds)
				}
			}
		})
	}
}

type namedText string

// both is a database of each kind that is only rendered for.
func both(tb testing.TB) []*DB {
	return []*DB{open(tb, sqliteURL(tb), Options{}), open(tb, "postgres://u@localhost:1/db", Options{})}
}

func TestParam(t *testing.T) {
	text, seven := "t", 7
	var none *string
	for name, c := range map[string]struct{ value, want any }{
		"text": {text, text}, "pointer to text": {&text, text}, "nil pointer": {none, nil}, "nil": {nil, nil},
		"int": {seven, int64(7)}, "pointer to int": {&seven, int64(7)}, "uint8": {uint8(7), int64(7)},
		"float": {1.5, 1.5}, "bool": {true, true}, "bytes": {[]byte{1}, []byte{1}},
		"time":           {time.Unix(0, 999).UTC(), "1970-01-01 00:00:00+00:00"},
		"zero time":      {time.Time{}, "0001-01-01 00:00:00+00:00"},
		"valuer":         {sql.NullInt64{Int64: 7, Valid: true}, int64(7)},
		"nil UUID":       {(*uuid.UUID)(nil), nil},
		"pointer to one": {&uuid.Nil, uuid.Nil.String()},
	} {
		t.Run(name, func(t *testing.T) {
			for _, db := range both(t) {
				sqlText, args, err := db.render(Param(c.value))
				if err != nil || len(args) != 1 || !reflect.DeepEqual(args[0], c.want) {
					t.Errorf("%s: %q %#v %v", db.Kind(), sqlText, args, err)
				}
			}
		})
	}
	t.Run("too large an integer is a number in the text", func(t *testing.T) {
		for _, db := range both(t) {
			if sqlText, args, err := db.render(Param(uint64(math.MaxUint64))); sqlText != "18446744073709551615" || len(args) != 0 || err != nil {
				t.Errorf("%q %v %v", sqlText, args, err)
			}
		}
	})
}

// hostile are texts that have broken quoting somewhere.
var hostile = []string{
	"", " ", "'", "''", `\`, `\'`, `'\'`, `"`, "`", "?", "??", "?0", "?1", "$1", "$$", ";--", "/*", "*/", "--\n", "\n\r\t\x01\x7f",
	"' OR '1'='1", `\u0000`, `\x00`, "E'", "%s", "%_", "é", "e\u0301", "İıßẞ", "\u2028", "\ufeff", "😀", "\U0010ffff", "\ufffd", "?!(", "?!(bun: x)", secret,
	strings.Repeat("long '", 10_000),
}

// TestTextRoundTrip stores and reads each hostile text, quoted by bun and as a
// parameter, and finds it again by equality.
func TestTextRoundTrip(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		for _, o := range []Options{{}, {NoPrepare: true}} {
			db := open(t, url, o)
			script(t, db, "DROP TABLE IF EXISTS texts\n--bun:split\nCREATE TABLE texts (id {{bigint}}, body {{text}}, raw {{bytes}})")
			for i, want := range hostile {
				roundTrip(t, db.Session(), i, want)
			}
		}
	})
}

func roundTrip(t *testing.T, s *Session, id int, want string) {
	t.Helper()
	run(t, s, "INSERT INTO texts (id, body, raw) VALUES (?, ?, ?)", Param(id), want, []byte(want))
	if got := one[string](t, s, "SELECT body FROM texts WHERE id = ? AND body = ?", Param(id), want); got != want {
		t.Errorf("stored %q, read %q", want, got)
	}
	if got := one[[]byte](t, s, "SELECT raw FROM texts WHERE id = ?", Param(id)); !bytes.Equal(got, []byte(want)) {
		t.Errorf("stored bytes %q, read %q", want, got)
	}
}

func TestTypedRoundTrip(t *testing.T) {
	at := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.FixedZone("", -3*3600))
	id := uuid.MustParse("0190a0b0-0000-7000-8000-00000000cafe")
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, `CREATE TABLE v (u {{uuid}}, at {{timestamp}}, yes {{bool}}, n {{bigint}}, j {{json}})`)
		s := db.Session()
		run(t, s, "INSERT INTO v VALUES (?, ?, ?, ?, ?)", Param(id), Param(at), Param(true), Param(math.MaxInt64), `{"a": 1}`)
		if got := one[uuid.UUID](t, s, "SELECT u FROM v WHERE u = ?", Param(id)); got != id {
			t.Errorf("UUID %s", got)
		}
		if got := one[time.Time](t, s, "SELECT at FROM v WHERE at = ?", at); !got.Equal(at.Truncate(time.Microsecond)) {
			t.Errorf("time %s", got)
		}
		if !one[bool](t, s, "SELECT yes FROM v WHERE yes = ?", Param(true)) {
			t.Error("bool is false")
		}
		if got := one[int64](t, s, "SELECT n FROM v WHERE n > ?", Param(1)); got != math.MaxInt64 {
			t.Errorf("integer %d", got)
		}
		var byBun []int64
		if err := db.NewSelect().TableExpr("v").Column("n").Where("at = ? AND u = ?", at, Param(id)).Scan(background(t), &byBun); err != nil || len(byBun) != 1 {
			t.Errorf("bun's own query found %v, %v", byBun, err)
		}
	})
}

func TestUnsendableTextIsRefused(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		for _, o := range []Options{{}, {NoPrepare: true}} {
			db := open(t, url, o)
			sent := 0
			db.Observe(func(context.Context, Event) { sent++ })
			for _, bad := range []string{"a\x00b", "\xff", "\xed\xa0\x80"} {
				for _, arg := range []any{bad, Param(bad), &bad, bun.List([]string{bad})} {
					_, err := oneOf[string](background(t), db.Session(), "SELECT ?", arg)
					if _, ok := errors.AsType[*TextError](err); !ok {
						t.Errorf("%q as %T: %v", bad, arg, err)
					}
				}
			}
			if _, err := db.Session().Exec(background(t), db.NewRaw("SELECT ?", unmarshalable{})); err == nil || !errors.Is(err, sqltext.ErrUnrendered) {
				t.Errorf("a value without a SQL form: %v", err)
			}
			if _, err := db.NewRaw("SELECT ?", "a\x00b").Exec(background(t)); err == nil || !errors.Is(err, sqltext.ErrUnrendered) {
				t.Errorf("bun's own query: %v", err)
			}
			if sent != 0 {
				t.Errorf("%d statements were sent", sent)
			}
		}
	})
}

type unmarshalable struct{ C chan int }

func TestManyValuesAreQuoted(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		values := make([]string, sqltext.MaxParams+1)
		for i := range values {
			values[i] = "'v"
		}
		if got := one[int](t, db.Session(), "SELECT 1 WHERE '''v' IN (?)", bun.List(values)); got != 1 {
			t.Errorf("got %d", got)
		}
	})
}

// TestUntypedParameters has statements that PostgreSQL rejects with
// parameters and accepts with quoted values.
func TestUntypedParameters(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, "CREATE TABLE n (v bigint)\n--bun:split\nINSERT INTO n VALUES (1)")
	for _, query := range []string{
		"SELECT jsonb_build_object(?, ?)::text",
		"SELECT concat(?, ?)",
		"UPDATE n SET v = CASE WHEN v > 0 THEN ? ELSE ? END RETURNING v",
		"SELECT INTERVAL ?::text || ?",
	} {
		t.Run(query, func(t *testing.T) {
			args := []any{"1", "2"}
			if strings.HasPrefix(query, "UPDATE") {
				args = []any{Param(1), Param(2)}
			}
			in := func(name string) {
				err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
					_, err := oneOf[string](ctx, s, query, args...)
					return err
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			in("first, in a transaction")
			in("again")
			if _, err := oneOf[string](background(t), db.Session(), query+" ", args...); err != nil {
				t.Errorf("on the pool: %v", err)
			}
		})
	}
	t.Run("a real fault stays", func(t *testing.T) {
		if _, err := oneOf[string](background(t), db.Session(), "SELECT no_such_function(?)", "a"); fault.State(err) != "42883" {
			t.Errorf("got %v", err)
		}
	})
}

var placeholder = regexp.MustCompile(`^SELECT [?$]1$`)

func FuzzParam(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("a\x00")
	f.Add("\xff")
	dbs := both(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, db := range dbs {
			for _, arg := range []any{s, Param(s)} {
				text, args, err := db.render(db.NewRaw("SELECT ?", arg))
				if sendable := utf8.ValidString(s) && !strings.Contains(s, "\x00"); sendable != (err == nil) {
					t.Fatalf("%q: %v", s, err)
				}
				if err == nil && (!placeholder.MatchString(text) || len(args) != 1 || args[0] != s) {
					t.Fatalf("%q became %q with %q", s, text, args)
				}
			}
		}
	})
}

// FuzzInline checks that the database returns a text quoted by bun unchanged, and
// returns nothing else with it.
func FuzzInline(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	dbs := []*DB{open(f, sqliteURL(f), Options{NoPrepare: true}), open(f, postgresURL(f), Options{NoPrepare: true})}
	f.Fuzz(func(t *testing.T, s string) {
		for _, db := range dbs {
			got, err := oneOf[string](background(t), db.Session(), "SELECT ?"+cast(db.Kind()), s)
			if sendable := utf8.ValidString(s) && !strings.Contains(s, "\x00"); sendable != (err == nil) {
				t.Fatalf("%s: %q: %v", db.Kind(), s, err)
			}
			if err == nil && got != s {
				t.Fatalf("%s: sent %q, got %q", db.Kind(), s, got)
			}
		}
	})
}

func cast(k Kind) string {
	if k == PostgreSQL {
		return "::text"
	}
	return ""
}
