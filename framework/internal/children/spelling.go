package children

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/sqldb"
)

// isText reports whether a column has text, which the database may compare as equal to other text: a column may
// ignore case, accents or spaces at the end.
func isText(column *schema.Field) bool { return column.IndirectType.Kind() == reflect.String }

// folded is a text in lower case, without spaces at the end.
func folded(text any) string {
	return strings.ToLower(strings.TrimRight(reflect.ValueOf(text).String(), " "))
}

// resembling lists those of some texts that differ from known ones in case or in spaces at the end at most. Columns may
// ignore these.
func resembling(texts, known []any) (alike []any) {
	spellings := map[string]bool{}
	for _, text := range known {
		spellings[folded(text)] = true
	}
	for _, text := range texts {
		if spellings[folded(text)] && !slices.Contains(alike, text) {
			alike = append(alike, text)
		}
	}
	return alike
}

// comparisons is the number of texts that one statement compares.
const comparisons = 100

// spellings finds the rows of a query that have some texts in a column as the database compares them. It returns the
// text that the row has, by the given text.
func spellings(c *call.Call, rows func() *bun.SelectQuery, column *schema.Field, texts []any) (map[any]any, error) {
	same := map[any]any{}
	for some := range slices.Chunk(texts, comparisons) {
		if err := compare(c, rows(), column, some, same); err != nil {
			return nil, err
		}
	}
	return same, nil
}

// compare adds to same the texts of a column that the database compares as equal to some texts.
func compare(c *call.Call, q *bun.SelectQuery, column *schema.Field, texts []any, same map[any]any) error {
	stored := bun.SafeQuery("?TableAlias.?", bun.Ident(column.Name))
	q = q.ColumnExpr("?", stored).Where("? IN (?)", stored, sqldb.List(texts))
	for _, text := range texts {
		q = q.ColumnExpr("CASE WHEN ? = ? THEN 1 END", stored, sqldb.List([]any{text}))
	}
	found, err := c.Session().Read(c, q)
	if err != nil {
		return err
	}
	for i := range found.Len() {
		of := reflect.New(column.StructField.Type).Elem()
		if err := column.ScanWithCheck(of, found.Row(i)[0]); err != nil {
			return err
		}
		for j, text := range texts {
			if found.Row(i)[j+1] != nil {
				same[text] = reflect.Indirect(of).Interface()
			}
		}
	}
	return nil
}
