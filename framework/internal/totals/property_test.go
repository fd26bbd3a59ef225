package totals_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A world is random rows of the clinic, as the naive model reads them.
type world struct {
	random   *rand.Rand
	patients map[int64]*Patient
	visits   []*Visit
	remarks  map[int64]int64 // the number of them, by visit
	staff    bool
}

// patient is the patient of a visit that the caller may see; an empty one has no values.
func (w *world) patient(v *Visit) *Patient {
	if v.PatientID == nil || w.patients[*v.PatientID].Hidden && !w.staff {
		return nil
	}
	return w.patients[*v.PatientID]
}

// fieldsOf are the values of the fields of a visit, nil for NULL.
func (w *world) fieldsOf(v *Visit) map[string]any {
	length := "long"
	if v.Minutes < 30 {
		length = "short"
	}
	values := map[string]any{
		"status": v.Status, "fee": v.Fee, "paid": v.Paid, "minutes": int64(v.Minutes), "points": v.Points, "rating": v.Rating, "day": v.Day, "starts_at": v.StartsAt,
		"seen": v.Seen, "note": v.Note, "part": v.Part, "replies": w.remarks[v.ID], "length": length, "date": v.StartsAt.Format(time.DateOnly), "patient.name": nil, "patient.city": nil, "patient.age": nil,
	}
	if p := w.patient(v); p != nil {
		values["patient.name"], values["patient.city"], values["patient.age"] = p.Name, p.City, p.Age
	}
	for name, value := range values {
		if r := reflect.ValueOf(value); r.Kind() == reflect.Pointer && r.IsNil() {
			values[name] = nil
		} else if r.Kind() == reflect.Pointer {
			values[name] = r.Elem().Interface()
		}
	}
	return values
}

// compare compares two values of a field. NULL is the last.
func compare(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(strconv.FormatBool(a == nil), strconv.FormatBool(b == nil))
	}
	at, isTime := a.(time.Time)
	before, _ := b.(time.Time)
	switch v, w := reflect.ValueOf(a), reflect.ValueOf(b); {
	case isTime:
		return at.Compare(before)
	case v.CanInt():
		return cmp.Compare(v.Int(), w.Int())
	case v.CanFloat():
		return cmp.Compare(v.Float(), w.Float())
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// A wish is the names of the fields that a request has in each parameter.
type wish struct{ group, sum, least, greatest []string }

// query is the query string of the request.
func (w wish) query() string {
	return fmt.Sprintf("group=%s&sum=%s&min=%s&max=%s", strings.Join(w.group, ","), strings.Join(w.sum, ","), strings.Join(w.least, ","), strings.Join(w.greatest, ","))
}

// some are different names of a list, in random order.
func (w *world) some(all []string, most int) []string {
	shuffled := slices.Clone(all)
	w.random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled[:w.random.IntN(most+1)]
}

// wish makes a random request.
func (w *world) wish() wish {
	d := visits().Totals
	shown := slices.DeleteFunc(slices.Clone(d.By), func(name string) bool { return name == "patient.secret" })
	return wish{w.some(shown, 3), w.some(d.Sum, 3), w.some(d.Min, 2), w.some(d.Max, 2)}
}

// object writes a member of a row, "" without names.
func object(member string, names []string, value func(name string) any) string {
	if len(names) == 0 {
		return ""
	}
	parts := make([]string, len(names))
	for i, name := range names {
		text, err := json.Marshal(value(name))
		if err != nil {
			panic(err)
		}
		parts[i] = fmt.Sprintf("%q:%s", name, text)
	}
	return fmt.Sprintf(",%q:{%s}", member, strings.Join(parts, ","))
}

// sum adds up the values of a field.
func sum(rows []map[string]any, name string) any {
	var units int64
	var fractions float64
	for _, row := range rows {
		switch v := reflect.ValueOf(row[name]); {
		case row[name] == nil:
		case v.CanInt():
			units += v.Int()
		default:
			fractions += v.Float()
		}
	}
	switch name {
	case "fee":
		return decimal.Of[Small](units)
	case "paid":
		return decimal.Of[Exact](units)
	case "rating":
		return fractions
	}
	return units
}

// extreme is the least value of a field or, with the sign -1, the greatest.
func extreme(rows []map[string]any, name string, sign int) (found any) {
	for _, row := range rows {
		if v := row[name]; v != nil && (found == nil || sign*compare(v, found) < 0) {
			found = v
		}
	}
	return found
}

// answer computes the answer to a request in memory.
func (w *world) answer(of wish, visits []*Visit) string {
	groups := map[string][]map[string]any{}
	if len(of.group) == 0 {
		groups[""] = nil
	}
	for _, v := range visits {
		row := w.fieldsOf(v)
		key := object("group", of.group, func(name string) any { return row[name] })
		groups[key] = append(groups[key], row)
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		for _, name := range of.group {
			if order := compare(groups[a][0][name], groups[b][0][name]); order != 0 {
				return order
			}
		}
		return 0
	})
	all := make([]string, len(keys))
	for i, key := range keys {
		rows := groups[key]
		row := fmt.Sprintf(`%s,"count":%d`, key, len(rows)) +
			object("sum", of.sum, func(name string) any { return sum(rows, name) }) +
			object("min", of.least, func(name string) any { return extreme(rows, name, 1) }) +
			object("max", of.greatest, func(name string) any { return extreme(rows, name, -1) })
		all[i] = "{" + row[1:] + "}"
	}
	return "[" + strings.Join(all, ",") + "]"
}

// fill stores random rows.
func (w *world) fill(t *testing.T, db *sqldb.DB) {
	t.Helper()
	r := w.random
	maybe := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	words := []*string{nil, new("aa"), new("bb"), new("cc"), new("")}
	days := []*calendar.Date{nil, dayOf(t, "2026-01-30"), dayOf(t, "2026-02-01")}
	parts := []*uuid.UUID{nil, new(apitest.ID("1")), new(apitest.ID("2"))}
	for id := range int64(6) {
		p := &Patient{ID: id, Name: *words[1+r.IntN(3)], City: words[r.IntN(5)], Age: maybe(r.Int64N(4) - 1), Hidden: r.IntN(3) == 0}
		w.patients[id] = p
		apitest.Insert(t, db, p)
	}
	for id := range int64(60) {
		v := &Visit{
			ID: id, OwnerID: apitest.ID([]string{"ada", "ben"}[r.IntN(2)]), Status: []Status{"draft", "booked", "done"}[r.IntN(3)],
			Fee: decimal.Of[Small](r.IntN(199_999) - 99_999), Paid: decimal.Of[Exact](r.Int64N(20_000_000_000) - 10_000_000_000), Minutes: int32(r.IntN(60)),
			Points: r.Int64N(7) - 3, Day: days[r.IntN(3)], StartsAt: noon.Add(time.Duration(r.IntN(4)) * 7 * time.Hour),
			Seen: r.IntN(2) == 0, Note: words[r.IntN(5)], Part: parts[r.IntN(3)], PatientID: maybe(r.Int64N(7) - 1),
		}
		if half := maybe(r.Int64N(6) - 2); half != nil {
			v.Rating = new(float64(*half) / 2)
		}
		if r.IntN(8) == 0 {
			v.DeletedAt = noon
		}
		w.visits = append(w.visits, v)
		apitest.Insert(t, db, v)
	}
	for id := range int64(40) {
		of := r.Int64N(60)
		w.remarks[of]++
		apitest.Insert(t, db, &Remark{ID: id, VisitID: of})
	}
}

// TestTotalsOfRandomRows: totals equal an evaluation in memory, for random rows, requests, filters and callers.
func TestTotalsOfRandomRows(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB) {
		w := world{random: rand.New(rand.NewPCG(seed, 0)), patients: map[int64]*Patient{}, remarks: map[int64]int64{}}
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		w.fill(t, db)
		for range 200 {
			caller := []string{"ada", "ben", "staff"}[w.random.IntN(3)]
			w.staff = caller == "staff"
			filter, keeps := "", func(*Visit) bool { return true }
			switch w.random.IntN(4) {
			case 0:
				filter, keeps = "&min_points=1", func(v *Visit) bool { return v.Points >= 1 }
			case 1:
				filter, keeps = "&city=bb", func(v *Visit) bool { p := w.patient(v); return p != nil && p.City != nil && *p.City == "bb" }
			case 2:
				filter, keeps = `&where=NOT status = "done"`, func(v *Visit) bool { return v.Status != "done" }
			}
			listed := slices.DeleteFunc(slices.Clone(w.visits), func(v *Visit) bool {
				return !v.DeletedAt.IsZero() || !w.staff && v.OwnerID != apitest.ID(caller) || !keeps(v)
			})
			wish := w.wish()
			if got, want := rowsOf(totals(apitest.As(c, caller), wish.query()+filter)), w.answer(wish, listed); got != want {
				t.Fatalf("%s has %s%s:\n%s; want\n%s", caller, wish.query(), filter, got, want)
			}
		}
	})
}
