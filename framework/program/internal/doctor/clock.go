package doctor

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/sqldb"
)

// clockTolerance is how far the clocks of this machine and of the database may be apart.
// Some times come from one, some from the other.
const clockTolerance = 5 * time.Second

// examineClock compares the clocks. If the database does not answer, another check
// reports it.
func (e *examination) examineClock(ctx context.Context, db *sqldb.DB, now func() time.Time) {
	asked := now()
	told, err := db.Now(ctx)
	if err == nil {
		e.found("clock", "", compareClocks(asked, told, now())...)
	}
}

// compareClocks returns a finding if the time of the database is not between two times of
// this machine.
func compareClocks(asked, told, answered time.Time) []Finding {
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
