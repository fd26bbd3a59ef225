package bunmodel_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/sqldb"
)

type Stamps struct{ By string }

type Leg struct {
	Port string
	Stamps
}

type voyage struct {
	ID int64 `bun:",pk"`
	*Stamps
	From  Leg  `bun:"embed:from_"`
	To    *Leg `bun:"embed:to_"`
	Crew  Crew `bun:"embed:crew_"`
	Notes []string
}

type Crew struct{ Captain string }

// voyages is bun's description of the model.
func voyages(t *testing.T) *schema.Table {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Dialect().Tables().Get(reflect.TypeFor[voyage]())
}

// TestCopy: a copy of a row has its own embedded structs, also those behind pointers.
func TestCopy(t *testing.T) {
	table := voyages(t)
	row := bunmodel.New(table)
	v := row.Interface().(*voyage)
	v.By, v.To.Port, v.From.Port, v.To.By = "ann", "Oslo", "Rome", "bob"
	other := bunmodel.Copy(table, row.Elem()).Interface().(*voyage)
	if !reflect.DeepEqual(v, other) {
		t.Errorf("the copy is %+v", other)
	}
	other.By, other.To.Port, other.From.Port, other.To.By = "eve", "Bonn", "Bern", "eve"
	if v.By != "ann" || v.To.Port != "Oslo" || v.From.Port != "Rome" || v.To.By != "bob" {
		t.Errorf("a change of the copy changed the row: %+v %+v", v, v.To)
	}
	if empty := bunmodel.Copy(table, reflect.ValueOf(voyage{})).Interface().(*voyage); empty.Stamps != nil || empty.To != nil {
		t.Errorf("the copy of a row without its structs has them: %+v", empty)
	}
}

// TestColumnOf: a Go name means the field that Go promotes, or the only one; a field of a struct with a prefix has both names too.
func TestColumnOf(t *testing.T) {
	table := voyages(t)
	for name, want := range map[string]string{
		"ID": "id", "By": "by", "FromPort": "from_port", "ToPort": "to_port", "Port": "", "FromBy": "from_by", "ToBy": "to_by",
		"Captain": "crew_captain", "CrewCaptain": "crew_captain", "From": "", "Nothing": "",
	} {
		got := ""
		if f := bunmodel.ColumnOf(table, name); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%s is the column %q; want %q", name, got, want)
		}
	}
	const both = `view.Port: several fields of voyage have the name "Port": FromPort, ToPort; name one of them`
	if err := bunmodel.NoField("view.Port", "Port", table, "voyage"); err.Error() != both {
		t.Errorf("the mistake is %v; want %s", err, both)
	}
	const want = `view.ToPrt: no field "ToPrt" in voyage; did you mean "ToPort"?`
	if err := bunmodel.NoField("view.ToPrt", "ToPrt", table, "voyage"); err.Error() != want {
		t.Errorf("the mistake is %v; want %s", err, want)
	}
}
