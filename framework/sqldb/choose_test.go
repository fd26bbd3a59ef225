package sqldb

import (
	"slices"
	"testing"
)

func TestChooseChangesEachRowByItsKey(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, `CREATE TABLE shelves (id text PRIMARY KEY, stock bigint NOT NULL, open boolean NOT NULL, note text);
			--bun:split
			INSERT INTO shelves VALUES ('a', 1, true, NULL), ('b', 2, true, 'x'), ('c', 3, true, NULL), ('d', 4, false, 'y')`)
		stocks := map[string]int64{"a": 10, "b": 5_000_000_000, "c": 0, "x": 9}
		for _, keys := range [][]string{nil, {"a"}, {"a", "b"}, {"c", "b", "a"}, {"x"}} {
			run(t, db.Session(), "UPDATE shelves SET stock = ?, open = ?, note = ? WHERE id <> ''",
				Choose("stock", "id", keys, func(k string) any { return stocks[k] }),
				Choose("open", "id", keys, func(k string) any { return stocks[k] > 0 }),
				Choose("note", "id", keys, func(k string) any { return map[bool]any{true: nil, false: k}[k == "b"] }))
		}
		var got []string
		rows, err := db.Session().Query(t.Context(), db.NewSelect().TableExpr("shelves").
			ColumnExpr("id || ':' || stock || ':' || CASE WHEN open THEN 1 ELSE 0 END || ':' || COALESCE(note, '-')").Order("id"))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if want := []string{"a:10:1:a", "b:5000000000:1:-", "c:0:0:c", "d:4:0:y"}; !slices.Equal(got, want) {
			t.Errorf("the rows are %s, want %s", got, want)
		}
	})
}
