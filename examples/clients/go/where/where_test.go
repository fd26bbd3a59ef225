package where_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/examples/clients/go/where"
)

type state string

func TestConditions(t *testing.T) {
	status, fee, city := where.Field[state]("status"), where.Ordered[float64]("fee"), where.Field[string]("patient.city")
	at := time.Date(2026, 1, 31, 12, 0, 0, 5000, time.UTC)
	for _, test := range []struct {
		got  where.Condition
		want string
	}{
		{where.And(status.Is("booked"), where.Or(fee.AtLeast(500), where.Not(city.Is("Pune")))), `status = "booked" AND (fee >= 500 OR NOT patient.city = "Pune")`},
		{where.And(where.And(fee.Above(1), fee.Below(2)), fee.AtMost(1.5), fee.IsNot(1e21)), `(fee > 1 AND fee < 2) AND fee <= 1.5 AND fee != 1000000000000000000000`},
		{where.Not(where.Not(city.IsNull())), `NOT (NOT patient.city = null)`},
		{where.Not(where.Or(city.IsNotNull(), fee.IsNull())), `NOT (patient.city != null OR fee = null)`},
		{where.Some("comments", where.And(where.Field[string]("author").Is("x"), where.Ordered[int]("score").Above(3))), `comments(author = "x" AND score > 3)`},
		{where.Not(where.Some("tags", where.Field[string]("name").Is("go"))), `NOT tags(name = "go")`},
		{fee.Is(0.0000001), `fee = 0.0000001`},
		{where.Ordered[time.Time]("at").Is(at), `at = "2026-01-31T12:00:00.000005Z"`},
		{where.Field[uuid.UUID]("id").Is(uuid.Nil), `id = "00000000-0000-0000-0000-000000000000"`},
		{fee.Is(math.Inf(1)), `fee = invalid`},
		{where.Field[bool]("paid").Is(true), `paid = true`},
	} {
		if test.got.String() != test.want {
			t.Errorf("it is %s; want %s", test.got, test.want)
		}
	}
}

// TestQuoting: a text is one value, whatever characters it has.
func TestQuoting(t *testing.T) {
	for _, text := range []string{"", `"`, `\`, `\"`, `x" OR "" = "`, "a\nb\tc\x00\x1f", "é😀\u2028", "<&>'%_*"} {
		got := strings.TrimPrefix(where.Field[string]("a").Is(text).String(), "a = ")
		var value string
		if err := json.Unmarshal([]byte(got), &value); err != nil || value != text {
			t.Errorf("%q is written as %s, which is %q (%v)", text, got, value, err)
		}
		if strings.ContainsAny(got, "\n\t\x00\x1f") {
			t.Errorf("%s has a control character", got)
		}
	}
}
