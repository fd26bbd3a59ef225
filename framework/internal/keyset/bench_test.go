package keyset_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// BenchmarkPages compares page 1 with page 10,000, in one run: ratio is the median of the second by
// that of the first. The orders have the indexes that API.MissingIndexes lists.
func BenchmarkPages(b *testing.B) {
	for name, at := range map[string]string{"sqlite": "sqlite://" + b.TempDir() + "/bench.db", "postgresql": frameworktest.PostgresURL(b)} {
		b.Run(name, func(b *testing.B) { benchmarkPages(b, at) })
	}
}

func benchmarkPages(b *testing.B, at string) {
	db, err := sqldb.Open(at, sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	{
		const rows = 220_000
		if err := db.Migrate(b.Context(), nil, post); err != nil {
			b.Fatal(err)
		}
		series := "generate_series(1, ?) AS g(n)"
		id, sent := "lpad(to_hex(n), 32, '0')::uuid", "timestamptz '2026-01-01' + n % 100000 * interval '1 second'"
		if db.Kind() == sqldb.SQLite {
			series = "(WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < ?) SELECT n FROM g)"
			id, sent = "printf('00000000-0000-0000-0000-%012x', n)", "strftime('%Y-%m-%d %H:%M:%S+00:00', '2026-01-01', n % 100000 || ' seconds')"
		}
		if _, err := db.DB.ExecContext(b.Context(), "INSERT INTO letters (id, number, rating, weight, subject, sent, urgent, from_id, raw) SELECT "+id+
			", n, CASE WHEN n % 20 > 0 THEN n % 7 END, n, 'letter ' || n % 500, CASE WHEN n % 20 > 0 THEN "+sent+" END, n % 2 = 0, NULL, '' FROM "+series, rows); err != nil {
			b.Fatal(err)
		}
		v := letters(page.Cursor{Size: 20, SizeParam: "size", MaxSize: rows})
		c := config(db)
		c.MaxRows = rows
		api, client := apitest.Serve(b, c, v, persons())
		missing, err := api.MissingIndexes(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for _, need := range missing {
			if need.Search {
				continue
			}
			if _, err := db.DB.ExecContext(b.Context(), need.Create()); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := db.DB.ExecContext(b.Context(), "ANALYZE"); err != nil {
			b.Fatal(err)
		}
		for _, order := range []string{"", "number", "-number", "rating", "subject", "-subject", "sent", "urgent"} {
			b.Run("by "+order, func(b *testing.B) {
				first := "/api/letters/?ordering=" + order
				var deep listed
				client.Get(first + "&size=199980").Expect(200).JSON(&deep)
				link, err := url.Parse(*deep.Next)
				if err != nil {
					b.Fatal(err)
				}
				q := link.Query()
				q.Del("size")
				far := "/api/letters/?" + q.Encode()
				var took [2][]time.Duration
				for b.Loop() {
					for i, at := range []string{first, far} {
						began := time.Now()
						client.Get(at).Expect(200)
						took[i] = append(took[i], time.Since(began))
					}
				}
				median := func(d []time.Duration) float64 { slices.Sort(d); return float64(d[len(d)/2]) }
				b.ReportMetric(median(took[1])/median(took[0]), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
