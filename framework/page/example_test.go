package page_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"trestle.example/framework"
	"trestle.example/framework/page"
)

// Feed is a pagination class of your own. It answers {"entries": [...], "more":
// "https://..."} in steps of ten.
type Feed struct{}

// Params returns the parameters of the class.
func (Feed) Params() []framework.Param {
	return []framework.Param{{Name: "after", Doc: "How many entries were read already."}}
}

// Window returns the requested rows. No count is needed.
func (Feed) Window(v framework.Values) (framework.Window, error) {
	w := framework.Window{Limit: 10, Counting: framework.NoCount()}
	if text := v["after"]; text != "" {
		after, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return w, framework.InvalidParameter("after", "must be a whole number of at least 0")
		}
		w.Offset = int64(after)
	}
	return w, nil
}

// Envelope returns the members of the answer. The link keeps the other parameters of the
// list.
func (Feed) Envelope(p framework.Page) (framework.Envelope, error) {
	e := framework.Envelope{{Name: "entries", Value: framework.Items{}, Doc: "The entries."}}
	if p.More {
		after := strconv.FormatInt(p.Offset+p.Limit, 10)
		e = append(e, framework.Member{Name: "more", Value: p.Link(url.Values{"after": {after}}), Doc: "Where the feed goes on."})
	}
	return e, nil
}

// An envelope of your own is a class with three methods: set it in a viewset, as in
// Pagination: Feed{}, and check it with frameworktest.TestPagination.
func Example_ownEnvelope() {
	feed := Feed{}
	window, _ := feed.Window(framework.Values{"after": "20"})
	envelope, _ := feed.Envelope(framework.Page{Window: window, Rows: 10, More: true, Link: func(replace url.Values) string {
		return "https://api.example.org/news/?" + replace.Encode()
	}})
	for _, member := range envelope {
		value, _ := json.Marshal(member.Value)
		fmt.Println(member.Name, string(value))
	}
	// Output:
	// entries {}
	// more "https://api.example.org/news/?after=30"
}

// shown prints the answer of a class to one page of five rows.
func shown(p framework.Pagination, asked framework.Values) {
	window, err := p.Window(asked)
	if err != nil {
		fmt.Println(err)
		return
	}
	here := min(window.Limit, max(0, 5-window.Offset))
	envelope, err := p.Envelope(framework.Page{
		Window: window, Rows: int(here), More: window.Offset+here < 5, Total: framework.Total{Count: 5, Known: true},
		Link: func(replace url.Values) string { return "https://api.example.org/news/?" + replace.Encode() },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, member := range envelope {
		value, _ := json.Marshal(member.Value)
		fmt.Println(member.Name, string(value))
	}
}

func ExampleNumber() {
	shown(page.Number{Size: 2}, framework.Values{"page": "2"})
	shown(page.Number{Size: 2}, framework.Values{"page": "9"})
	// Output:
	// count 5
	// next "https://api.example.org/news/?page=3"
	// previous "https://api.example.org/news/?"
	// results {}
	// 404 not_found: There is no page 9.
}

func ExampleOffset() {
	shown(page.Offset{Size: 2}, framework.Values{"offset": "4"})
	// Output:
	// count 5
	// next null
	// previous "https://api.example.org/news/?limit=2\u0026offset=2"
	// results {}
}

func ExampleScreen() {
	shown(page.Screen{Size: 2}, framework.Values{"page": "3"})
	// Output:
	// items {}
	// page 3
	// limit 2
	// total 5
	// totalPages 3
	// hasNext false
}

func ExampleBare() {
	envelope, _ := page.Bare{Max: 100}.Envelope(framework.Page{Rows: 5})
	fmt.Printf("%d member, without a name: %q\n", len(envelope), envelope[0].Name)
	// Output: 1 member, without a name: ""
}
