package framework_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// bilingual are problem details in English or German. The first language is that of a client that
// accepts neither.
type bilingual struct{ framework.ProblemJSON }

var known = language.NewMatcher([]language.Tag{language.English, language.German})

var inGerman = map[string]string{
	"not_found": "Hier ist nichts.", "validation_failed": "Die Angaben sind nicht gültig.", "required": "fehlt",
}

func (s bilingual) Shape(p framework.Problem) (string, any) {
	if p.Request == nil {
		return s.ProblemJSON.Shape(p)
	}
	_, at := language.MatchStrings(known, p.Request.Header.Get("Accept-Language"))
	if words := inGerman[p.Code]; at == 1 && words != "" {
		e := *p.Error
		e.Detail, e.Faults = words, nil
		for _, f := range p.Faults {
			f.Detail = inGerman[f.Code]
			e.Faults = append(e.Faults, f)
		}
		p.Error, p.Title = &e, words
	}
	return s.ProblemJSON.Shape(p)
}

func (bilingual) ShapeVary() []string { return []string{"Accept-Language"} }

// TestErrorsInLanguages: an error shape reads the header of the request, and every error says so
// in Vary.
func TestErrorsInLanguages(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		c.ErrorShape = bilingual{}
		c.CORS = []string{"https://app.example.org"}
		v := countries()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("GET", "failing", func(*framework.Call, framework.None) (iter.Seq2[CountryView, error], error) {
				return func(yield func(CountryView, error) bool) { yield(CountryView{}, framework.NotFound()) }, nil
			}).Refuses(framework.CodeNotFound),
		}
		served, _ := promised(t, c, v)
		ada := served.as("ada")
		gone := "/api/countries/" + missing + "/"
		for _, c := range []struct {
			about, method, path, accepts string
			body                         any
			status                       int
			says                         string
		}{
			{"no header", "GET", gone, "", nil, 404, `"detail":"Nothing is here, or it is not yours to see."`},
			{"English", "GET", gone, "en-GB, de;q=0.5", nil, 404, `"detail":"Nothing is here`},
			{"German", "GET", gone, "de-AT, en;q=0.5", nil, 404, `"detail":"Hier ist nichts."`},
			{"the title too", "GET", gone, "de", nil, 404, `"title":"Hier ist nichts."`},
			{"a language that the API does not speak", "GET", gone, "fr", nil, 404, `"detail":"Nothing is here`},
			{"a header that cannot be read", "GET", gone, ";;q=,", nil, 404, `"detail":"Nothing is here`},
			{"faults", "POST", "/api/countries/", "de", fields{}, 400, `"errors":[{"pointer":"/name","code":"required","detail":"fehlt"}]`},
			{"an error before the first element of a stream", "GET", "/api/countries/failing/", "de", nil, 404, `"detail":"Hier ist nichts."`},
			{"an error without words in German", "POST", "/api/countries/", "de", "{", 400, `"detail":"The body ends too early`},
		} {
			t.Run(c.about, func(t *testing.T) {
				got := ada.in(t).with("Accept-Language", c.accepts).do(c.method, c.path, c.body).is(c.status).says(c.says)
				if vary := strings.Join(got.header.Values("Vary"), ", "); vary != "Origin, Accept-Language" {
					got.failf("want Vary: Origin, Accept-Language, not %q", vary)
				}
			})
		}
		t.Run("a success does not depend on the language", func(t *testing.T) {
			ada.in(t).with("Accept-Language", "de").get("/api/countries/").is(200).head("Vary", "Origin")
		})
		t.Run("a caller without credentials", func(t *testing.T) {
			got := served.in(t).with("Accept-Language", "de").get("/api/countries/").is(401)
			if vary := got.header.Values("Vary"); len(vary) != 2 {
				got.failf("want Vary: Accept-Language too, not %q", vary)
			}
		})
	})
}

// TestShapesThatEmbedProblemJSON: their bodies are documented as problem details, unless they
// describe themselves.
func TestShapesThatEmbedProblemJSON(t *testing.T) {
	for _, c := range []struct {
		about string
		shape framework.ErrorShape
		want  string
	}{
		{"the standard shape", framework.ProblemJSON{}, `{"$ref":"#/components/schemas/NotFoundProblem"}`},
		{"a shape that embeds it", bilingual{}, `{"$ref":"#/components/schemas/NotFoundProblem"}`},
		{"a pointer to such a shape", &bilingual{}, `{"$ref":"#/components/schemas/NotFoundProblem"}`},
		{"a shape that embeds it and describes itself", telling{}, `{"type":"object"}`},
		{"a shape of one's own", plainObject{}, `{"type":"object"}`},
	} {
		t.Run(c.about, func(t *testing.T) {
			settings := config(sqlite(t))
			settings.ErrorShape = c.shape
			_, p := promised(t, settings, countries())
			media := "application/problem+json"
			if _, own := c.shape.(plainObject); own {
				media = "application/json"
			}
			p.says(c.want, "components", "responses", "NotFound", "content", media, "schema")
		})
	}
}

// telling describes its bodies as any object.
type telling struct{ framework.ProblemJSON }

func (telling) ShapeSchema(int) ([]byte, error) { return []byte(`{"type":"object"}`), nil }
func (telling) ShapeDoc() string                { return "" }

// plainObject is a shape without a schema.
type plainObject struct{}

func (plainObject) Shape(p framework.Problem) (string, any) {
	return "application/json", map[string]string{"message": p.Detail}
}

// TestTheBilingualShape has what every shape needs.
func TestTheBilingualShape(t *testing.T) { frameworktest.TestErrorShape(t, bilingual{}) }

// TestErrorInAPart: an error after the first element is written by the shape too.
func TestErrorInAPart(t *testing.T) {
	c := config(sqlite(t))
	c.ErrorShape = bilingual{}
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "events", func(*framework.Call, framework.None) (iter.Seq2[CountryView, error], error) {
			return func(yield func(CountryView, error) bool) {
				_ = yield(CountryView{Name: "England"}, nil) && yield(CountryView{}, errors.Join(framework.NotFound()))
			}, nil
		}).As(framework.EventStream),
	}
	serve(t, c, v).as("ada").with("Accept-Language", "de").get("/api/countries/events/").is(200).
		says("event: error", `"detail":"Hier ist nichts."`).head("Vary", "Accept-Language")
}
