package doctor

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/sqldb"
)

// clockTolerance is the greatest difference between the clocks of this machine and of the
// database that is no finding. The program uses the time of both clocks.
const clockTolerance = 5 * time.Second

// examineClock compares the clocks. If the database does not answer, another check
// reports it.
func (e *examination) examineClock(ctx context.Context, db *sqldb.DB, now func() time.Time) {
	before := now()
	at, err := db.Now(ctx)
	if err == nil {
		e.found("clock", "", compareClocks(before, at, now())...)
	}
}

// compareClocks returns a finding if the time of the database is earlier than before or later
// than after, two times of this machine, by more than clockTolerance.
func compareClocks(before, at, after time.Time) []Finding {
	by, way := before.Sub(at), "behind"
	if ahead := at.Sub(after); ahead > by {
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
