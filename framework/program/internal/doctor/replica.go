package doctor

import (
	"context"
	"fmt"

	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/sqldb"
)

// farBehind is how many bytes of the write-ahead log a replica may lag: one file of the
// log.
const farBehind = 16 << 20

// examineReplica checks the replica, if there is one.
func (e *examination) examineReplica(ctx context.Context, db *sqldb.DB) {
	if e.ReplicaURL == "" {
		return
	}
	standby, err := db.Standby(ctx)
	if err != nil {
		e.found("replica", "", describeUnansweredReplica(err))
		return
	}
	subject := fmt.Sprintf("%s, %d bytes behind", standby.Version, standby.Behind)
	found := findOldVersion(standby.Version, config.ReplicaVariable)
	found = append(found, findUnsafeLink(standby.Link, config.ReplicaVariable)...)
	e.found("replica", subject, append(found, findUnfitReplica(e.Config, standby, db.Stats().MaxOpenConnections+1)...)...)
}

// describeUnansweredReplica returns the finding about a replica that does not answer.
func describeUnansweredReplica(err error) Finding {
	what := "it does not answer, and the primary answers all reads: " + err.Error()
	return Finding{problem, config.ReplicaVariable, what, "start it, or set DATABASE_REPLICA_URL right"}
}

// findUnfitReplica returns the findings about a replica. conns is the most connections
// that this process opens to it.
func findUnfitReplica(c config.Config, s *sqldb.Standby, conns int) (found []Finding) {
	add := func(weight, what, fix string) {
		found = append(found, Finding{weight, config.ReplicaVariable, what, fix})
	}
	if s.Pooled {
		add(warning, "there is a pooler between: PostgreSQL sees another port and another process number than the connection has",
			"reach the replica itself, not by a pooler")
	}
	switch {
	case s.Stranger:
		add(problem, "it is no standby of the database that DATABASE_URL names, and is not used", "name a standby that was made of that database")
	case s.Promoted:
		add(problem, "it is not in recovery: it was promoted, or never was a standby, and is not used", "name a standby, or leave the setting out; if it was promoted on purpose, DATABASE_URL names it")
	case s.Behind > farBehind:
		add(warning, fmt.Sprintf("it has %d bytes of the primary's log still to replay; the primary answers what it is too late for", s.Behind),
			"see whether it receives the log, whether its replay is paused, and what it is busy with")
	}
	if s.MaxConns < conns {
		what := fmt.Sprintf("it takes %d connections, and this process alone may open %d", s.MaxConns, conns)
		add(warning, what, c.Program.Text("lower {PROGRAM}_DB_CONNS, or raise its max_connections"))
	}
	return found
}
