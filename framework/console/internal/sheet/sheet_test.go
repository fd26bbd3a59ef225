package sheet_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/sheet"
	"trestle.example/framework/internal/input"
)

func field(name string, v any) *input.Field {
	t := reflect.TypeOf(v)
	return &input.Field{Name: name, Typ: t, Value: &input.ValuePlan{Typ: t}}
}

var shape = &input.Shape{Fields: []*input.Field{field("name", ""), field("phone", ""), field("born_on", ""), field("rank", int64(0)), field("is_open", false)}}

func blank(f *input.Field) control.Control { return control.New(f, time.UTC) }

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, body, says string }{
		"commas":                            {text: "name,rank\nAsha,3\n", body: `[{"name":"Asha","rank":3}]`},
		"semicolons, as some locales write": {text: "name;rank\nAsha;3\n", body: `[{"name":"Asha","rank":3}]`},
		"tabs, as a spreadsheet copies":     {text: "name\trank\nAsha\t3\n", body: `[{"name":"Asha","rank":3}]`},
		"a mark of the byte order":          {text: "\ufeffname\nAsha\n", body: `[{"name":"Asha"}]`},
		"lines that end as on Windows":      {text: "name,rank\r\nAsha,3\r\n", body: `[{"name":"Asha","rank":3}]`},
		"labels for names":                  {text: "Name,Born on\nAsha,1990-01-31\n", body: `[{"name":"Asha","born_on":"1990-01-31"}]`},
		"a line break within quotes":        {text: "name\n\"Asha\nRao\"\n", body: `[{"name":"Asha\nRao"}]`},
		"a telephone number stays":          {text: "name,phone\nAsha,+91 22 12\n", body: `[{"name":"Asha","phone":"+91 22 12"}]`},
		"an apostrophe of an export goes":   {text: "name\n'=1+1\n", body: `[{"name":"=1+1"}]`},
		"any other apostrophe stays":        {text: "name\n'tis\n", body: `[{"name":"'tis"}]`},
		"an empty cell is left out":         {text: "name,rank\nAsha,\n", body: `[{"name":"Asha"}]`},
		"a word for a boolean":              {text: "name,is_open\nA,yes\nB,FALSE\n", body: `[{"name":"A","is_open":true},{"name":"B","is_open":false}]`},
		"no number where one belongs":       {text: "name,rank\nAsha,three\n", body: `[{"name":"Asha","rank":"three"}]`},
		"nothing":                           {says: "the text is empty"},
		"no row":                            {text: "name\n", says: "there is no row below the names"},
		"a column that the input lacks":     {text: "name,city\nAsha,Pune\n", says: `no column "city"; the columns are name, phone, born_on, rank, is_open`},
		"too many cells":                    {text: "name\nAsha,3\n", says: "record on line 2: wrong number of fields"},
		"a quote that does not end":         {text: "name\n\"Asha\n", says: `extraneous or missing " in quoted-field`},
		"too many rows":                     {text: "name\n" + strings.Repeat("A\n", 4), says: "this list takes 3 at once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sheet.Read(c.text, shape, blank, 3)
			switch {
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("the error is %v; want %q", err, c.says)
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says == "" && string(s.Body()) != c.body:
				t.Errorf("the body is %s; want %s", s.Body(), c.body)
			}
		})
	}
}

// TestLines: a fault names the line on which its row begins.
func TestLines(t *testing.T) {
	t.Parallel()
	s, err := sheet.Read("name\n\"A\nB\"\nC\n", shape, blank, 3)
	if err != nil || !reflect.DeepEqual(s.Lines, []int{2, 4}) {
		t.Errorf("the rows begin on lines %v, %v", s.Lines, err)
	}
}

func FuzzSheet(f *testing.F) {
	f.Add("name,rank\nAsha,3\n")
	f.Add("\ufeffname;phone\n'=1;\"+9\n1\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := sheet.Read(text, shape, blank, 100)
		if err == nil && !s.Body().IsValid() {
			t.Errorf("%q becomes %s, which is no JSON", text, s.Body())
		}
	})
}
