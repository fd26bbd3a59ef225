package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
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
	Breaking  bool // for programs that do not have it
}

func (r record) is(c *change) bool { return r.Namespace == c.namespace && r.ID == c.id }

func (r record) migration() Migration {
	return Migration{Namespace: r.Namespace, ID: r.ID, Name: r.Name, AppliedAt: r.AppliedAt.UTC(), Breaking: r.Breaking}
}

var recordTables = []string{
	`CREATE TABLE IF NOT EXISTS trestle_migrations (
		namespace text NOT NULL,
		id text NOT NULL,
		name text NOT NULL,
		checksum text NOT NULL,
		position bigint NOT NULL,
		applied_at %s NOT NULL,
		breaking boolean NOT NULL DEFAULT false,
		PRIMARY KEY (namespace, id)
	)`,
	`CREATE TABLE IF NOT EXISTS trestle_migration_lock (id bigint PRIMARY KEY, held bigint NOT NULL)`,
	`INSERT INTO trestle_migration_lock (id, held) VALUES (1, 0) ON CONFLICT DO NOTHING`,
}

// createRecords makes the tables of the records. PostgreSQL may fail one of
// two processes that do so at the same time, which then finds them made.
func (db Database) createRecords(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := db.InTx(ctx, db.createRecordsOnce)
		if err == nil {
			return nil
		}
		if !fault.Retries(err) && (!wasCreatedMeanwhile(err) || attempt > fault.Attempts) || !fault.Pause(ctx, attempt) {
			return fmt.Errorf("sqldb: creating the tables of the migrations: %w", err)
		}
	}
}

func (db Database) createRecordsOnce(ctx context.Context, tx bun.Tx) error {
	if err := patient(ctx, db.Kind, tx); err != nil {
		return err
	}
	exist, err := Exist(ctx, db.Kind, tx)
	if err != nil {
		return err
	}
	if exist {
		return addBreaking(ctx, db.Kind, tx)
	}
	for _, statement := range recordTables {
		if strings.Contains(statement, "%s") {
			statement = fmt.Sprintf(statement, wordsOf(db.Kind).Timestamp)
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// addBreaking adds the column to the records of an older version, which inserts
// without it.
func addBreaking(ctx context.Context, k dialect.Kind, tx bun.Tx) error {
	has, err := recordsBreaking(ctx, k, tx)
	if err != nil || has {
		return err
	}
	unless := map[dialect.Kind]string{dialect.PostgreSQL: "IF NOT EXISTS "}[k] // SQLite has one writer, and it has looked
	_, err = tx.ExecContext(ctx, "ALTER TABLE trestle_migrations ADD COLUMN "+unless+"breaking boolean NOT NULL DEFAULT false")
	return err
}

// recordsBreaking reports whether the records have the column breaking.
func recordsBreaking(ctx context.Context, k dialect.Kind, db bun.IDB) (bool, error) {
	query := `SELECT count(*) FROM pragma_table_info('trestle_migrations') WHERE name = 'breaking'`
	if k == dialect.PostgreSQL {
		query = `SELECT count(*) FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass('trestle_migrations') AND attname = 'breaking' AND NOT attisdropped`
	}
	var n int
	err := db.QueryRowContext(ctx, query).Scan(&n)
	return n > 0, err
}

// wasCreatedMeanwhile tells of PostgreSQL's catalogue refusing a second table
// of a name: as a duplicate key, a duplicate table or a duplicate object.
func wasCreatedMeanwhile(err error) bool {
	switch fault.State(err) {
	case "23505", "42P07", "42710", "XX000":
		return true
	}
	return false
}

// Exist reports whether anything was ever migrated here. The lock row is
// made last, in the same transaction as the tables.
func Exist(ctx context.Context, k dialect.Kind, db bun.IDB) (bool, error) {
	query := `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'trestle_migration_lock'`
	if k == dialect.PostgreSQL {
		query = `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('trestle_migration_lock')`
	}
	var n int
	err := db.QueryRowContext(ctx, query).Scan(&n)
	return n > 0, err
}

func (db Database) existingRecords(ctx context.Context) ([]record, error) {
	exist, err := Exist(ctx, db.Kind, db.DB)
	if err != nil || !exist {
		return nil, err
	}
	return readRecords(ctx, db.Kind, db.DB)
}

func readRecords(ctx context.Context, k dialect.Kind, db bun.IDB) ([]record, error) {
	has, err := recordsBreaking(ctx, k, db)
	if err != nil {
		return nil, err
	}
	var records []record
	q := db.NewSelect().Model(&records).Order("position")
	if !has {
		q = q.ExcludeColumn("breaking")
	}
	err = q.Scan(ctx)
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

// check is an error if this program must not run on the schema: an applied
// migration without a file is breaking, or there is one while another is pending,
// so that this program is not merely older than the one that applied it.
func (p plan) check(records []record) error {
	lost := p.orphans(records)
	breaking := slices.DeleteFunc(slices.Clone(lost), func(r record) bool { return !r.Breaking })
	switch {
	case len(breaking) > 0:
		return fmt.Errorf("sqldb: %s was applied to this database by a newer version of the program, and older ones cannot run on it; run the version that has it", namesOf(breaking))
	case slices.ContainsFunc(p.changes, func(c *change) bool { return c.status(records).AppliedAt.IsZero() }):
		return orphanError(lost)
	}
	return nil
}

func orphanError(lost []record) error {
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("sqldb: %s was applied to this database, but its files are gone; put them back, or run the version of the program that has them", namesOf(lost))
}

func namesOf(records []record) string {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = r.migration().String()
	}
	return strings.Join(names, ", ")
}
