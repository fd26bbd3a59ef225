package relation_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// small fills the magazine: Ann of the red team, Ben without a city, Cid, who is hidden, and Dot,
// who is deleted. The comment on Five is deleted.
func small(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	at := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	apitest.Insert(tb, db,
		&Team{ID: 1, Name: "red"},
		&Author{ID: 1, Username: "ann", City: new("Pune"), TeamID: new(int64(1))}, &Author{ID: 2, Username: "ben"},
		&Author{ID: 3, Username: "cid", City: new("Agra"), Hidden: true}, &Author{ID: 4, Username: "dot", City: new("Pune"), DeletedAt: at},
		&Profile{ID: 1, AuthorID: 1, Motto: new("zeal")}, &Profile{ID: 2, AuthorID: 2, Motto: new("awe")},
		&Article{ID: 1, Title: "One", Price: 3, Quantity: 3, WriterID: new(int64(1))}, &Article{ID: 2, Title: "Two", Price: 5, Quantity: 1, WriterID: new(int64(2))},
		&Article{ID: 3, Title: "Three", Price: 2, Quantity: 1, WriterID: new(int64(3))}, &Article{ID: 4, Title: "Four", Price: 1, Quantity: 7, WriterID: new(int64(4))},
		&Article{ID: 5, Title: "Five", Price: 1, Quantity: 1}, &Article{ID: 6, Title: "Six", Price: 4, Quantity: 2, WriterID: new(int64(1)), Reprints: new(int64(1))},
		&Tag{ID: 1, Name: "go"}, &Tag{ID: 2, Name: "sql"},
		&ArticleTag{ArticleID: 1, TagID: 1}, &ArticleTag{ArticleID: 1, TagID: 2}, &ArticleTag{ArticleID: 2, TagID: 1}, &ArticleTag{ArticleID: 6, TagID: 2},
		&Comment{ID: 1, ArticleID: 1, WriterID: new(int64(2)), Score: new(int64(5)), State: "open", PostedAt: at},
		&Comment{ID: 2, ArticleID: 1, WriterID: new(int64(1)), Score: new(int64(1)), State: "closed", PostedAt: at, Pinned: true},
		&Comment{ID: 3, ArticleID: 2, WriterID: new(int64(1)), Score: new(int64(9)), State: "open", PostedAt: at.AddDate(0, 0, 1)},
		&Comment{ID: 4, ArticleID: 5, WriterID: new(int64(1)), Score: new(int64(100)), State: "open", PostedAt: at, DeletedAt: at},
		&Comment{ID: 5, ArticleID: 3, State: "open", PostedAt: at})
}

// idsOf is the ids of the listed rows in order, and the count of the list.
func idsOf(r *frameworktest.Response) string {
	var body struct {
		Count   int64
		Results []struct{ ID int64 }
	}
	if err := json.Unmarshal([]byte(r.Expect(200).Body()), &body); err != nil {
		return err.Error()
	}
	var ids []string
	for _, row := range body.Results {
		ids = append(ids, strconv.FormatInt(row.ID, 10))
	}
	return fmt.Sprintf("%d: %s", body.Count, strings.Join(ids, " "))
}

// TestRequests: each row is listed once, and is counted once.
func TestRequests(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		small(t, db)
		for _, test := range []struct{ name, caller, query, want string }{
			{"all", "", "", "6: 1 2 3 4 5 6"},
			{"a column of a to-one relation", "", "writer=ann", "2: 1 6"},
			{"a related row that the caller may not see", "", "writer=cid", "0: "},
			{"the same for staff, who may see it", "staff", "writer=cid", "1: 3"},
			{"a related row that is deleted, for staff too", "staff", "writer=dot", "0: "},
			{"two to-one relations", "", "team=red", "2: 1 6"},
			{"an expression of a related row", "", "initial=a", "2: 1 6"},
			{"a column of many", "", "tag=go", "2: 1 2"},
			{"two parameters: both tags", "", "tag=go&other_tag=sql", "1: 1"},
			{"not a tag: rows without a tag too", "", "without_tag=go", "4: 3 4 5 6"},
			{"not a writer: rows without one, and with one out of sight, too", "", "not_writer=ann", "4: 2 3 4 5"},
			{"not a city: a writer without a city too", "", "not_city=Pune", "4: 2 3 4 5"},
			{"not titles of the row itself", "", "not_titles=One,Two", "4: 3 4 5 6"},
			{"one of several cities", "", "cities=Pune,Agra", "2: 1 6"},
			{"one of several cities, for staff", "staff", "cities=Pune,Agra", "3: 1 3 6"},
			{"text within text", "", "city_part=UN", "2: 1 6"},
			{"no city: no writer, or one without a city", "", "no_city=true", "4: 2 3 4 5"},
			{"a city", "", "no_city=false", "2: 1 6"},
			{"a choice", "", "comments.state=closed", "1: 1"},
			{"a flag", "", "pinned=true", "1: 1"},
			{"a flag that is off is no filter", "", "pinned=false", "6: 1 2 3 4 5 6"},
			{"a day", "", "commented_on=2026-01-31", "2: 1 3"},
			{"at least, without deleted comments and scores that are null", "", "min_score=5", "2: 1 2"},
			{"at most", "", "max_score=1", "1: 1"},
			{"two filters may be met by two comments", "", "min_score=5&max_score=1", "1: 1"},
			{"a range is met by one comment", "", "score_from=2&score_to=4", "0: "},
			{"a to-one relation below many", "", "commented_by=ann", "2: 1 2"},
			{"a reference of a related row", "", "comments.writer_id=2", "1: 1"},
			{"a reference to a row out of scope", "", "comments.writer_id=3", "0: "},
			{"together: one comment by Ann with a score of 5", "", "by=ann&by_min_score=5", "1: 2"},
			{"together with one parameter", "", "by=ben", "1: 1"},
			{"together with a negation", "", "by=ann&by_not_state=closed", "1: 2"},
			{"rows of the same table", "", "original=One", "1: 6"},
			{"many, below a row of the same table", "", "original_tag=go", "1: 6"},
			{"an expression", "", "min_total=7", "3: 1 4 6"},
			{"an empty value is no filter", "", "writer=", "6: 1 2 3 4 5 6"},
			{"a search in the row, in its writer and in its tags", "", "search=sql", "2: 1 6"},
			{"a search in the writer", "", "search=BEN", "1: 2"},
			{"each word may be in another place", "", "search=ann+one", "1: 1"},
			{"a search finds nothing of a writer out of sight", "", "search=cid", "0: "},
			{"the same for staff", "staff", "search=cid", "1: 3"},
			{"an order by a related column: no writer last", "", "ordering=writer.username", "6: 1 6 2 3 4 5"},
			{"and last when it descends", "", "ordering=-writer.username", "6: 2 6 1 5 4 3"},
			{"an order that staff see", "staff", "ordering=-writer.username", "6: 3 2 6 1 5 4"},
			{"a related value that is null comes last too", "", "ordering=-writer.city", "6: 6 1 5 4 3 2"},
			{"two relations deep", "", "ordering=writer.team.name,-price", "6: 6 1 2 3 5 4"},
			{"by a has-one below a belongs-to", "", "ordering=writer.profile.motto", "6: 2 1 6 3 4 5"},
			{"by two columns of one relation", "", "ordering=-writer.city,writer.username,-title", "6: 6 1 2 3 4 5"},
			{"by a row of the same table", "", "ordering=original.title", "6: 6 1 2 3 4 5"},
			{"by the key of a row of the same table", "", "ordering=-original.id", "6: 6 5 4 3 2 1"},
			{"by an expression", "", "ordering=-total", "6: 1 6 4 2 3 5"},
			{"by an expression of a related row", "", "ordering=-writer.initial", "6: 2 6 1 5 4 3"},
			{"the second page of an order", "", "ordering=writer.username&size=2&page=2", "6: 2 3"},
			{"filters, a search and an order", "", "tag=sql&search=o&ordering=-writer.username", "1: 1"},
		} {
			t.Run(test.name, func(t *testing.T) {
				client := apitest.As(c.On(t), test.caller)
				if got := idsOf(client.Get("/api/articles/?" + test.query)); got != test.want {
					t.Errorf("the list has %s; want %s", got, test.want)
				}
			})
		}
	})
}

// TestRefusals: a wrong value names its parameter, also below a relation.
func TestRefusals(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		for _, test := range []struct{ name, query, want string }{
			{"a number that is none", "min_score=many", "min_score"},
			{"a choice that is none", "comments.state=shut", "must be one of open, closed"},
			{"a range that ends before it begins", "score_from=5&score_to=1", "score_to"},
			{"a flag that is none", "pinned=perhaps", "pinned"},
			{"a day that is none", "commented_on=today", "YYYY-MM-DD"},
			{"a key that is none", "comments.writer_id=x", "comments.writer_id"},
			{"both wrong values of filters that are together", "by_min_score=x&by_not_state=shut", `"by_min_score"`},
			{"the second of them", "by_min_score=x&by_not_state=shut", `"by_not_state"`},
			{"a parameter that is misspelt", "writr=ann", `"writr"`},
			{"an order by many", "ordering=tags.name", "tags.name"},
			{"an order by a relation", "ordering=writer", "ordering"},
		} {
			t.Run(test.name, func(t *testing.T) {
				c.On(t).Get("/api/articles/?" + test.query).Expect(400).Code("invalid_parameter").Contains(test.want)
			})
		}
	})
}

// TestStatements: a list costs two statements, its rows and their number, whatever its filters and
// its order.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		counter := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), resources()...)
		small(t, db)
		for _, query := range []string{"", "writer=ann", "tag=go&other_tag=sql", "without_tag=go&search=o", "by=ann&by_min_score=1", "ordering=writer.team.name", "ordering=-total"} {
			// A new row between the requests: the count of an earlier one is not used again.
			apitest.Insert(t, db, &Team{ID: 100 + int64(len(query)), Name: query})
			texts := counter.During(func() { c.Get("/api/articles/?size=1&page=1&" + query).Expect(200) })
			if want := 2; len(texts) > want {
				t.Errorf("%q: %d statements, want at most %d: %q", query, len(texts), want, texts)
			}
			for _, text := range texts {
				for _, value := range []string{"ann", "'go'", "'sql'"} {
					if strings.Contains(text, value) {
						t.Errorf("%q: the statement has the value %s: %s", query, value, text)
					}
				}
			}
		}
	})
}
