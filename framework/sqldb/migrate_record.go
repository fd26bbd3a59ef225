package sqldb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// record is an applied migration.
type record struct {
	bun.BaseModel `bun:"table:trestle_migrations"`

	Namespace string `bun:",pk"`
	ID        string `bun:",pk"`
	Name      string
	Checksum  string
	Position  int64 // the order in which migrations were applied
	AppliedAt time.Time
}

func (r record) is(c *change) bool { return r.Namespace == c.namespace && r.ID == c.id }

func (r record) migration() Migration {
	return Migration{Namespace: r.Namespace, ID: r.ID, Name: r.Name, AppliedAt: r.AppliedAt.UTC()}
}

var recordTables = []string{
	`CREATE TABLE IF NOT EXISTS trestle_migrations (
		namespace text NOT NULL,
		id text NOT NULL,
		name text NOT NULL,
		checksum text NOT NULL,
		position bigint NOT NULL,
		applied_at %s NOT NULL,
		PRIMARY KEY (namespace, id)
	)`,
	`CREATE TABLE IF NOT EXISTS trestle_migration_lock (id bigint PRIMARY KEY, held bigint NOT NULL)`,
	`INSERT INTO trestle_migration_lock (id, held) VALUES (1, 0) ON CONFLICT DO NOTHING`,
}

// createRecords makes the tables of the records. PostgreSQL may fail one of
// two processes that do so at the same time, which then finds them made.
func (db *DB) createRecords(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := db.once(ctx, db.createRecordsOnce)
		if err == nil {
			return nil
		}
		if !retries(err) && (!wasCreatedMeanwhile(err) || attempt > maxAttempts) || !pause(ctx, attempt) {
			return fmt.Errorf("sqldb: creating the tables of the migrations: %w", err)
		}
	}
}

func (db *DB) createRecordsOnce(ctx context.Context, s *Session) error {
	if err := patient(ctx, db.Kind(), *s.tx); err != nil {
		return err
	}
	exist, err := recordsExist(ctx, db.Kind(), s.IDB())
	if err != nil || exist {
		return err
	}
	for _, statement := range recordTables {
		if strings.Contains(statement, "%s") {
			statement = fmt.Sprintf(statement, db.Kind().words().Timestamp)
		}
		if _, err := s.tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// wasCreatedMeanwhile tells of PostgreSQL's catalogue refusing a second table
// of a name: as a duplicate key, a duplicate table or a duplicate object.
func wasCreatedMeanwhile(err error) bool {
	switch sqlState(err) {
	case "23505", "42P07", "42710", "XX000":
		return true
	}
	return false
}

// recordsExist tells whether anything was ever migrated here. The lock row is
// made last, in the same transaction as the tables.
func recordsExist(ctx context.Context, k Kind, db bun.IDB) (bool, error) {
	query := `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'trestle_migration_lock'`
	if k == PostgreSQL {
		query = `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('trestle_migration_lock')`
	}
	var n int
	err := db.QueryRowContext(ctx, query).Scan(&n)
	return n > 0, err
}

func (db *DB) existingRecords(ctx context.Context) ([]record, error) {
	exist, err := recordsExist(ctx, db.Kind(), db.DB)
	if err != nil || !exist {
		return nil, err
	}
	return readRecords(ctx, db.DB)
}

func readRecords(ctx context.Context, db bun.IDB) ([]record, error) {
	var records []record
	err := db.NewSelect().Model(&records).Order("position").Scan(ctx)
	return records, err
}

func nextPosition(records []record) int64 {
	var last int64
	for _, r := range records {
		last = max(last, r.Position)
	}
	return last + 1
}

// orphans are the applied migrations of the sets' namespaces without a file.
// A namespace that is not asked about is left alone.
func (p plan) orphans(records []record) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool {
		return !slices.Contains(p.namespaces, r.Namespace) || slices.ContainsFunc(p.changes, r.is)
	})
}

func orphanError(lost []record) error {
	if len(lost) == 0 {
		return nil
	}
	names := make([]string, len(lost))
	for i, r := range lost {
		names[i] = r.migration().String()
	}
	return fmt.Errorf("sqldb: %s was applied to this database, but its files are gone; put them back, or run the version of the program that has them", strings.Join(names, ", "))
}
