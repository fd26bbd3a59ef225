package contents

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Contents are the rows of every table, by the table and by the text of the row.
type Contents map[string]map[string]Row

// A Row is its values by their columns, as texts.
type Row map[string]string

// At is the text of the values of some columns, or of all without any.
func (r Row) At(columns []string) string {
	if len(columns) == 0 {
		columns = slices.Sorted(maps.Keys(r))
	}
	var all strings.Builder
	for _, column := range columns {
		all.WriteString(r[column])
		all.WriteByte(0)
	}
	return all.String()
}

// IsSame reports whether two maps are one.
func IsSame[M ~map[string]V, V any](a, b M) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// ChangedIn lists the tables whose rows differ.
func (c Contents) ChangedIn(after Contents) (names []string) {
	if IsSame(c, after) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		same := func(a, b Row) bool { return true }
		if !maps.EqualFunc(c[name], after[name], same) {
			names = append(names, name)
		}
	}
	return names
}

// Loses reports whether a row of a table, with the text of all of its values, is no longer as it was.
func (c Contents) Loses(table, text string, after Contents) bool {
	if IsSame(c[table], after[table]) {
		return false
	}
	_, was := c[table][text]
	_, is := after[table][text]
	return was && !is
}
