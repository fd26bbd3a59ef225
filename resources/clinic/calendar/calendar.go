// Package calendar has the page of the console with the week of a doctor: appointments, free slots to book, and slots to which an
// appointment can be moved.
package calendar

import (
	"cmp"
	"embed"
	"net/http"
	"net/url"
	"slices"
	"time"

	"trestle.example/framework/console"
)

//go:embed calendar.html calendar.css
var files embed.FS

// Page is the calendar. now is the clock; nil for time.Now.
func Page(now func() time.Time) console.Page {
	if now == nil {
		now = time.Now
	}
	return console.Page{
		Path: "calendar/", Title: "Calendar", Group: "Clinic", Files: files, Template: "calendar.html", Style: "calendar.css",
		Needs: []string{"GET /doctors/", "GET /appointments/calendar/"},
		Data:  func(v console.Visit) (any, error) { return read(v, now()) },
	}
}

// Tiles are the numbers that the reception needs first.
func Tiles() []console.Tile {
	return []console.Tile{
		{Title: "Booked appointments", Path: "/appointments/?status=booked"},
		{Title: "Patients", Path: "/patients/"},
	}
}

// The slots of a day, by the clock of the clinic.
const (
	opening     = 9 * time.Hour
	closing     = 17 * time.Hour
	slotLength  = 30 * time.Minute
	usualDays   = 6 // Monday to Saturday; Sunday is shown if it has an appointment
	daysOfWeek  = 7
	mostEntries = 1000
	mostDoctors = 500
)

// zone is that of the clinic. Its days begin and end by it, wherever the person is.
func zone() *time.Location {
	return time.FixedZone("India", int((5*time.Hour + 30*time.Minute).Seconds()))
}

// A doctor is a choice of the page.
type doctor struct {
	ID, Name string
	Chosen   bool
}

// An entry is an appointment.
type entry struct {
	ID          string
	Patient     string
	PatientName *string `json:"patient_name"`
	Doctor      string
	Status      string
	StartsAt    *time.Time `json:"starts_at"`

	Page, Move string // addresses; "" for none
}

// Name is the name of the patient.
func (e *entry) Name() string {
	if e.PatientName == nil {
		return "Patient not shown"
	}
	return *e.PatientName
}

// Time is when the appointment begins.
func (e *entry) Time() string { return e.StartsAt.In(zone()).Format("15:04") }

// When is when the appointment begins, with its day; "" if that is not known.
func (e *entry) When() string {
	if e.StartsAt == nil {
		return ""
	}
	return e.StartsAt.In(zone()).Format("Mon 2 Jan 2006, 15:04")
}

// State is the status in words, "" for a booked one.
func (e *entry) State() string {
	return map[string]string{"completed": "completed", "no_show": "did not come"}[e.Status]
}

// A cell is one slot of one day.
type cell struct {
	Entries []*entry
	Book    console.Link // the form for an appointment in it
	Here    console.Link // moves the chosen appointment to it
}

// A row is the slots of one time of day.
type row struct {
	Time  string
	Cells []*cell
}

// A day heads a column.
type day struct{ ID, Text string }

// A shown is what the page shows.
type shown struct {
	Doctors              []*doctor
	Doctor, DoctorName   string
	Week, Title          string
	Previous, This, Next string // queries of other weeks
	Days                 []day
	Rows                 []row
	Moving               *entry
	Stay                 string // the query without the move
	Whole                bool   // all appointments are shown
}

// read reads the week of a doctor.
func read(v console.Visit, now time.Time) (any, error) {
	query := v.Query()
	monday := weekOf(query.Get("week"), now)
	s := &shown{Week: weekName(monday), Title: monday.Format("2 Jan") + " to " + monday.AddDate(0, 0, daysOfWeek-1).Format("2 Jan 2006")}
	if err := s.readDoctors(v, query.Get("doctor")); err != nil || s.Doctor == "" {
		return s, err
	}
	s.Previous, s.Next = s.at(monday.AddDate(0, 0, -daysOfWeek), query.Get("move")), s.at(monday.AddDate(0, 0, daysOfWeek), query.Get("move"))
	s.This, s.Stay = s.at(weekOf("", now), query.Get("move")), s.at(monday, "")
	if err := s.readMoving(v, query.Get("move")); err != nil {
		return nil, err
	}
	all, err := s.readEntries(v, monday)
	if err != nil {
		return nil, err
	}
	s.fill(v, grid{monday: monday, now: now, doctor: s.Doctor, moving: s.Moving}, all)
	return s, nil
}

// at returns the query of the page for a week, with an appointment that is moved; "" for none.
func (s *shown) at(monday time.Time, move string) string {
	query := url.Values{"week": {weekName(monday)}, "doctor": {s.Doctor}}
	if move != "" {
		query.Set("move", move)
	}
	return "?" + query.Encode()
}

// readDoctors reads the doctors, and chooses one: the first without a choice.
func (s *shown) readDoctors(v console.Visit, chosen string) error {
	if _, err := v.ReadRows("/doctors/", mostDoctors, &s.Doctors); err != nil {
		return err
	}
	for _, d := range s.Doctors {
		if chosen == "" || chosen == d.ID {
			d.Chosen, s.Doctor, s.DoctorName = true, d.ID, d.Name
			return nil
		}
	}
	if chosen != "" {
		return console.NotFound("There is no such doctor.")
	}
	return nil
}

// readMoving reads the appointment that is moved, which may be of another week or doctor.
func (s *shown) readMoving(v console.Visit, id string) error {
	if id == "" || !v.May("PATCH /appointments/{id}/") {
		return nil
	}
	s.Moving = &entry{}
	if err := v.Read("/appointments/"+url.PathEscape(id)+"/", s.Moving); err != nil {
		return err
	}
	var patient struct{ Name string }
	if err := v.Read("/patients/"+url.PathEscape(s.Moving.Patient)+"/", &patient); err == nil {
		s.Moving.PatientName = &patient.Name
	}
	return nil
}

// readEntries reads the appointments of the week that are not cancelled.
func (s *shown) readEntries(v console.Visit, monday time.Time) (all []*entry, err error) {
	query := url.Values{
		"doctor": {s.Doctor}, "starts_from": {monday.UTC().Format(time.RFC3339)},
		"starts_until": {monday.AddDate(0, 0, daysOfWeek).Add(-time.Microsecond).UTC().Format(time.RFC3339Nano)},
	}
	s.Whole, err = v.ReadRows("/appointments/calendar/?"+query.Encode(), mostEntries, &all)
	all = slices.DeleteFunc(all, func(e *entry) bool { return e.Status == "cancelled" || e.StartsAt == nil })
	for _, e := range all {
		e.Page = v.Link("", "/appointments/"+url.PathEscape(e.ID)+"/").To
		if e.Status == "booked" && v.May("PATCH /appointments/{id}/") {
			e.Move = s.at(monday, e.ID)
		}
	}
	return all, err
}

// A grid is a week of a doctor.
type grid struct {
	monday, now time.Time
	doctor      string
	moving      *entry
}

// fill makes the rows and columns of the table.
func (s *shown) fill(v console.Visit, g grid, all []*entry) {
	days, times := usualDays, []time.Duration{}
	for at := opening; at < closing; at += slotLength {
		times = append(times, at)
	}
	placed := map[time.Duration][]*entry{} // by the beginning of the slot, from Monday on
	for _, e := range all {
		from := e.StartsAt.Sub(g.monday).Truncate(slotLength)
		placed[from] = append(placed[from], e)
		times = append(times, from%(24*time.Hour))
		if int(from/(24*time.Hour)) >= days {
			days = daysOfWeek
		}
	}
	slices.Sort(times)
	for d := range days {
		at := g.monday.AddDate(0, 0, d)
		s.Days = append(s.Days, day{ID: at.Format(time.DateOnly), Text: at.Format("Mon 2 Jan")})
	}
	for _, at := range slices.Compact(times) {
		r := row{Time: time.Time{}.Add(at).Format("15:04")}
		for d := range days {
			from := time.Duration(d)*24*time.Hour + at
			r.Cells = append(r.Cells, g.cell(v, g.monday.Add(from), placed[from]))
		}
		s.Rows = append(s.Rows, r)
	}
}

// cell makes a slot. It is free if it is not over and nothing is booked in it.
func (g grid) cell(v console.Visit, at time.Time, entries []*entry) *cell {
	c := &cell{Entries: entries}
	if at.Before(g.now) || slices.ContainsFunc(entries, func(e *entry) bool { return e.Status != "no_show" }) {
		return c
	}
	when := console.Field{Name: "starts_at", Value: at.UTC().Format(time.RFC3339)}
	if g.moving == nil {
		c.Book = v.Form("Book", http.MethodPost, "/appointments/", console.Field{Name: "doctor", Value: g.doctor}, when)
		c.Book.About = at.Format("Monday 2 January, 15:04")
		return c
	}
	fields := []console.Field{when}
	if g.moving.StartsAt != nil {
		fields[0].Was = g.moving.StartsAt.UTC().Format(time.RFC3339)
	}
	if g.moving.Doctor != g.doctor {
		fields = append(fields, console.Field{Name: "doctor", Value: g.doctor, Was: g.moving.Doctor})
	}
	c.Here = v.Step("Move here", http.MethodPatch, "/appointments/"+url.PathEscape(g.moving.ID)+"/", fields...)
	c.Here.About = cmp.Or(g.moving.Name(), "the appointment") + " to " + at.Format("Monday 2 January, 15:04")
	c.Here.Next = withoutMove(c.Here.Next)
	return c
}

// withoutMove returns the address of the page after a move.
func withoutMove(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	query.Del("move")
	u.RawQuery = query.Encode()
	return u.String()
}
