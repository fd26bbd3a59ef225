package doctor

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/sqldb"
)

// clockTolerance is how far the clocks of this machine and of the database may
// be apart: some times are told by the one, and some by the other.
const clockTolerance = 5 * time.Second

// examineClock compares the clocks, if the database answers; whether it does is
// told by another check.
func (e *examination) examineClock(ctx context.Context, db *sqldb.DB, now func() time.Time) {
	asked := now()
	told, err := db.Now(ctx)
	if err == nil {
		e.found("clock", "", clocksApart(asked, told, now())...)
	}
}

// clocksApart is a finding about a time that was told between two others.
func clocksApart(asked, told, answered time.Time) []Finding {
	by, way := asked.Sub(told), "behind"
	if ahead := told.Sub(answered); ahead > by {
		by, way = ahead, "ahead of"
	}
	if by <= clockTolerance {
		return nil
	}
	return []Finding{{
		warning, "DATABASE_URL", fmt.Sprintf("the database's clock is %s %s this machine's, so tokens, limits and delivery slots may end early or late", by.Round(time.Second/10), way),
		"let both machines follow a time server: chrony or systemd-timesyncd",
	}}
}
