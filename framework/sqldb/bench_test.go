package sqldb

import (
	"context"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// BenchmarkByKey reads one row by its key: at once, by rows, in a transaction, all
// prepared with parameters, and by bun with the values in the text.
func BenchmarkByKey(b *testing.B) {
	for kind, url := range map[Kind]string{SQLite: sqliteURL(b), PostgreSQL: postgresURL(b)} {
		db := open(b, url, Options{})
		script(b, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}})")
		for i := range 100 {
			run(b, db.Session(), "INSERT INTO t VALUES (?, 'name')", Param(i))
		}
		byKey := NewTemplate(func(v Values) schema.QueryAppender {
			return bun.SafeQuery("SELECT name FROM t WHERE id = ?", v.At(0))
		})
		b.Run(kind.String()+"/read", func(b *testing.B) {
			ctx := context.Background()
			for i := range b.N {
				if r, err := db.Session().Read(ctx, byKey.With(i%100)); err != nil || r.Len() != 1 {
					b.Fatal(err)
				}
			}
		})
		b.Run(kind.String()+"/transaction", func(b *testing.B) {
			ctx := context.Background()
			for i := range b.N {
				err := db.InTx(ctx, func(ctx context.Context, s *Session) error {
					_, err := s.Read(ctx, byKey.With(i%100))
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(kind.String()+"/session", func(b *testing.B) {
			ctx := context.Background()
			for i := range b.N {
				q := db.NewSelect().TableExpr("t").Column("name").Where("id = ?", Param(i%100))
				rows, err := db.Session().Query(ctx, q)
				if err != nil {
					b.Fatal(err)
				}
				var name string
				if !rows.Next() || rows.Scan(&name) != nil || rows.Close() != nil {
					b.Fatal("no row")
				}
			}
		})
		b.Run(kind.String()+"/bun", func(b *testing.B) {
			ctx := context.Background()
			for i := range b.N {
				var name string
				if err := db.NewSelect().TableExpr("t").Column("name").Where("id = ?", i%100).Scan(ctx, &name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
