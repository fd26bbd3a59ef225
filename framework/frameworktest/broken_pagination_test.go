package frameworktest

import (
	"errors"
	"net/url"
	"strconv"
	"testing"

	"trestle.example/framework"
)

// brokenPages is a correct class with three rows per page. A test replaces a part of it.
type brokenPages struct {
	window   func(page int64, err error) (framework.Window, error)
	envelope func(p framework.Page) (framework.Envelope, error)
}

func (brokenPages) Params() []framework.Param { return []framework.Param{{Name: "page"}} }

func (b brokenPages) Window(v framework.Values) (framework.Window, error) {
	if v["page"] == "" {
		return framework.Window{Limit: 3, Number: 1}, nil
	}
	n, err := strconv.ParseInt(v["page"], 10, 64)
	if b.window != nil {
		return b.window(n, err)
	}
	if err != nil || n < 1 || n > 1<<40 {
		return framework.Window{}, framework.NotFound()
	}
	return framework.Window{Limit: 3, Offset: (n - 1) * 3, Number: n}, nil
}

func (b brokenPages) Envelope(p framework.Page) (framework.Envelope, error) {
	if b.envelope != nil {
		return b.envelope(p)
	}
	return framework.Envelope{{Name: "rows", Value: framework.Items{}}}, nil
}

func enveloped(e framework.Envelope) brokenPages {
	return brokenPages{envelope: func(framework.Page) (framework.Envelope, error) { return e, nil }}
}

func TestBrokenPaginationsFail(t *testing.T) {
	items := framework.Items{}
	for name, test := range map[string]struct {
		class framework.Pagination
		want  string
	}{
		"overflows": {brokenPages{window: func(n int64, err error) (framework.Window, error) {
			if err != nil {
				return framework.Window{}, framework.NotFound()
			}
			return framework.Window{Limit: 3, Offset: (n - 1) * 3}, nil
		}}, "a limit must be at least 1, an offset at least 0"},
		"returns a plain error": {brokenPages{window: func(int64, error) (framework.Window, error) {
			return framework.Window{}, errors.New("no such page")
		}}, "want a *framework.Error of status 400 to 499"},
		"panics": {brokenPages{window: func(_ int64, err error) (framework.Window, error) {
			return framework.Window{Limit: 3}, errors.New(err.Error())
		}}, "returns the error a panic:"},
		"shows the first page for ever": {brokenPages{window: func(int64, error) (framework.Window, error) {
			return framework.Window{Limit: 3, Number: 1}, nil
		}}, "no link and no parameter leads to them"},
		"skips a row between pages": {brokenPages{window: func(n int64, err error) (framework.Window, error) {
			if err != nil || n < 1 || n > 1<<40 {
				return framework.Window{}, framework.NotFound()
			}
			return framework.Window{Limit: 3, Offset: (n - 1) * 4, Number: n}, nil
		}}, "no link and no parameter leads to them"},
		"omits the rows":              {enveloped(framework.Envelope{{Name: "count", Value: 1}}), "the envelope has the rows 0 times"},
		"shows the rows twice":        {enveloped(framework.Envelope{{Name: "a", Value: items}, {Name: "b", Value: items}}), "the envelope has the rows 2 times"},
		"uses a name twice":           {enveloped(framework.Envelope{{Name: "a", Value: items}, {Name: "a", Value: 1}}), `has the member "a"; members need names, each once`},
		"has a member without a name": {enveloped(framework.Envelope{{Name: "a", Value: items}, {Value: 1}}), `has the member ""`},
		"fails on a short list": {brokenPages{envelope: func(p framework.Page) (framework.Envelope, error) {
			if p.Rows == 0 {
				return nil, errors.New("nothing to show")
			}
			return framework.Envelope{{Name: "rows", Value: items}}, nil
		}}, "rows: the Envelope of *frameworktest.pageSuite: nothing to show"},
		"links to nowhere": {brokenPages{envelope: func(p framework.Page) (framework.Envelope, error) {
			return framework.Envelope{{Name: "rows", Value: items}, {Name: "previous", Value: p.Link(url.Values{"page": {"0"}})}}, nil
		}}, "a link of the answer leads to status 404"},
		"links without the other parameters": {brokenPages{envelope: func(p framework.Page) (framework.Envelope, error) {
			return framework.Envelope{{Name: "rows", Value: items}, {Name: "first", Value: p.Link(url.Values{numberMaxParam: nil})}}, nil
		}}, "must be an absolute URL that keeps frameworktest_max="},
		"has no first window": {unlimited{}, "without parameters the window is"},
	} {
		t.Run(name, func(t *testing.T) {
			db := emptyDatabase(t)
			wantFailure(t, test.want, func(tb testing.TB) { checkPagination(tb, db, test.class) })
		})
	}
}

// unlimited is a class whose windows have no limit.
type unlimited struct{}

func (unlimited) Params() []framework.Param                           { return nil }
func (unlimited) Window(framework.Values) (framework.Window, error)   { return framework.Window{}, nil }
func (unlimited) Envelope(framework.Page) (framework.Envelope, error) { return nil, nil }

func TestACorrectPaginationPasses(t *testing.T) {
	TestPagination(t, brokenPages{})
}
