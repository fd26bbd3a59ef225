package sqldb

import (
	"strings"
	"testing"
)

func TestListMakesFewStatements(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, searched)
		texts := map[string]bool{}
		for n := range 9 {
			values := make([]any, n)
			for i := range values {
				values[i] = int64(i)
			}
			q := db.NewSelect().TableExpr("patients AS p").ColumnExpr("p.n").Where("p.n IN (?)", List(values))
			text, args, err := db.render(q)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 && !strings.Contains(text, "IN (NULL)") || n > 0 && len(args) < n {
				t.Errorf("%d values: %s with %d arguments", n, text, len(args))
			}
			texts[text] = true
			run(t, db.Session(), "DELETE FROM patients WHERE n IN (?)", List(values))
		}
		if len(texts) != 5 {
			t.Errorf("0 to 8 values are %d statements, not 5: none, 1, 2, 4 and 8", len(texts))
		}
	})
}
