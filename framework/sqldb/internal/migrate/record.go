package migrate

import (
	"context"
	"errors"
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
	Breaking  bool // programs without its file must not run on the schema
}

// is reports whether the record is that of a migration: it has the number, and the name or the text. The file may be renamed or
// changed, but not both, because two versions of the program may have given one number to different migrations.
func (r record) is(c *change) bool {
	return r.takes(c) && (r.Name == c.name || r.Checksum == c.checksum)
}

// takes reports whether the record has the number of a migration.
func (r record) takes(c *change) bool { return r.Namespace == c.namespace && r.ID == c.id }

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
}

// createRecords makes the tables of the records, if they are missing. If two processes do so at
// the same time, PostgreSQL may return an error to one, which then tries again and finds them.
func (db Database) createRecords(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := db.inTx(ctx, db.createRecordsOnce)
		if _, missing := errors.AsType[*MissingRecordError](err); missing || err == nil {
			return err
		}
		if !fault.Retries(err) && (!wasCreatedMeanwhile(err) || attempt > fault.Attempts) || !fault.Pause(ctx, attempt) {
			if fault.State(err) == "3F000" {
				err = fmt.Errorf("no schema of the search_path exists, or the role may not use it; create it, grant USAGE on it, or correct search_path in the URL or of the role: %w", err)
			}
			return fmt.Errorf("sqldb: creating the tables of the migrations: %w", err)
		}
	}
}

func (db Database) createRecordsOnce(ctx context.Context, tx bun.Tx) error {
	exist, err := Exist(ctx, db.Kind, tx)
	if missing, ok := errors.AsType[*MissingRecordError](err); ok && missing.Table == lockTable && missing.Column == "" {
		err = nil // it holds nothing, so it is made again
	}
	if err != nil {
		return err
	}
	for _, statement := range recordTables {
		if exist {
			break
		}
		if strings.Contains(statement, "%s") {
			statement = fmt.Sprintf(statement, wordsOf(db.Kind).Timestamp)
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return addBreaking(ctx, db.Kind, tx)
}

// addBreaking adds the column breaking to a table that an older version made. That version
// inserts without it, so it has a default.
func addBreaking(ctx context.Context, k dialect.Kind, tx bun.Tx) error {
	columns, _, err := recordColumns(ctx, k, tx)
	if err != nil || slices.Contains(columns, "breaking") {
		return err
	}
	unless := map[dialect.Kind]string{dialect.PostgreSQL: "IF NOT EXISTS "}[k] // on SQLite nothing else writes now
	_, err = tx.ExecContext(ctx, "ALTER TABLE trestle_migrations ADD COLUMN "+unless+"breaking boolean NOT NULL DEFAULT false")
	return err
}

const (
	recordTable = "trestle_migrations"
	lockTable   = "trestle_migration_lock"
)

// A MissingRecordError is an error: the database lacks a table of the records of migrations, or
// a column of one, although something was migrated. Column is "" for a table.
type MissingRecordError struct{ Table, Column string }

// Error says what is missing.
func (m *MissingRecordError) Error() string {
	does := "records"
	if m.IsLock() {
		does = "is the lock of"
	}
	if m.Column == "" {
		return fmt.Sprintf("the database has no table %q, which %s its migrations", m.Table, does)
	}
	return fmt.Sprintf("the table %q, which %s the migrations, has no column %q", m.Table, does, m.Column)
}

// IsLock reports whether the lock is incomplete, and not the records themselves.
func (m *MissingRecordError) IsLock() bool { return m.Table == lockTable }

// An OtherVersionError is an error: another version of the program applied Migrations, which
// this program does not have, and this program must not run on the schema.
type OtherVersionError struct {
	Migrations string // their names
	Breaking   bool   // they are marked as breaking
	Same       string // the migrations of this program that have the number of one of them; "" for none
}

// Error says which version of the program to run, or which files to restore or to give another number.
func (o *OtherVersionError) Error() string {
	was, its, it := "was", "its", "it"
	if strings.Contains(o.Migrations, ", ") {
		was, its, it = "were", "their", "them"
	}
	applied := "sqldb: " + o.Migrations + " " + was + " applied to this database"
	if o.Breaking {
		applied += " by a newer version of the program, and older ones cannot run on it; run the version that has " + it
	} else {
		applied += ", but " + its + " files are missing; restore them, or run the version of the program that has " + it
	}
	if o.Same != "" {
		applied += "; give another number to " + o.Same
	}
	return applied
}

// recordColumns lists the columns of the tables of the records. It is one statement, because
// another process may make both tables at any time.
func recordColumns(ctx context.Context, k dialect.Kind, db bun.IDB) (records, lock []string, err error) {
	query := "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name IN (?, ?)"
	if k == dialect.PostgreSQL {
		query = `SELECT t.relname, c.attname FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_attribute AS c ON c.attrelid = t.oid
			WHERE t.relname IN (?, ?) AND t.relkind IN ('r', 'p') AND pg_catalog.pg_table_is_visible(t.oid) AND c.attnum > 0 AND NOT c.attisdropped`
	}
	var tables, columns []string
	err = db.NewRaw(query, recordTable, lockTable).Scan(ctx, &tables, &columns)
	for i, table := range tables {
		if table == lockTable {
			lock = append(lock, columns[i])
		} else {
			records = append(records, columns[i])
		}
	}
	return records, lock, err
}

// Exist reports whether the tables of the records exist; createRecords makes them in one
// transaction. If only a part of them exists, the error is a [MissingRecordError]. The column
// breaking may be missing.
func Exist(ctx context.Context, k dialect.Kind, db bun.IDB) (bool, error) {
	records, lock, err := recordColumns(ctx, k, db)
	if err != nil || records == nil && lock == nil {
		return false, err
	}
	if err := lacks(recordTable, records, "namespace", "id", "name", "checksum", "position", "applied_at"); err != nil {
		return false, err
	}
	if err := lacks(lockTable, lock, "id", "held"); err != nil {
		return false, err
	}
	return true, nil
}

func lacks(table string, columns []string, needed ...string) error {
	if columns == nil {
		return &MissingRecordError{Table: table}
	}
	for _, name := range needed {
		if !slices.Contains(columns, name) {
			return &MissingRecordError{table, name}
		}
	}
	return nil
}

// wasCreatedMeanwhile reports whether an error has a code with which PostgreSQL rejects a table
// that another transaction has just created: a duplicate key, table or object, or an internal
// error. Other errors have these codes too.
func wasCreatedMeanwhile(err error) bool {
	switch fault.State(err) {
	case "23505", "42P07", "42710", "XX000":
		return true
	}
	return false
}

func (db Database) existingRecords(ctx context.Context) ([]record, error) {
	exist, err := Exist(ctx, db.Kind, db.DB)
	if err != nil || !exist {
		return nil, err
	}
	return readRecords(ctx, db.Kind, db.DB)
}

func readRecords(ctx context.Context, k dialect.Kind, db bun.IDB) ([]record, error) {
	columns, _, err := recordColumns(ctx, k, db)
	if err != nil {
		return nil, err
	}
	var records []record
	q := db.NewSelect().Model(&records).Order("position")
	if !slices.Contains(columns, "breaking") {
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

// orphans returns the applied migrations of the sets' namespaces that have no file.
// It ignores migrations of other namespaces.
func (p plan) orphans(records []record) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool {
		return !slices.Contains(p.namespaces, r.Namespace) || slices.ContainsFunc(p.changes, r.is)
	})
}

// check returns an [OtherVersionError] if this program must not run on the schema. That is
// so if an applied migration without a file is breaking. It is also so if an applied
// migration has no file while another one is pending, because then this program is not
// merely older than the program that applied it.
func (p plan) check(records []record) error {
	lost := p.orphans(records)
	breaking := slices.DeleteFunc(slices.Clone(lost), func(r record) bool { return !r.Breaking })
	switch {
	case len(breaking) > 0:
		return &OtherVersionError{namesOf(breaking), true, p.sameNumbers(breaking)}
	case slices.ContainsFunc(p.changes, func(c *change) bool { return c.status(records).AppliedAt.IsZero() }):
		return p.orphanError(records)
	}
	return nil
}

// orphanError returns an [OtherVersionError] if an applied migration has no file.
func (p plan) orphanError(records []record) error {
	lost := p.orphans(records)
	if len(lost) == 0 {
		return nil
	}
	return &OtherVersionError{namesOf(lost), false, p.sameNumbers(lost)}
}

// sameNumbers names the migrations that have the number of a record of another one.
func (p plan) sameNumbers(lost []record) string {
	var same []string
	for _, c := range p.changes {
		if slices.ContainsFunc(lost, func(r record) bool { return r.takes(c) }) {
			same = append(same, c.String())
		}
	}
	return strings.Join(same, ", ")
}

func namesOf(records []record) string {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = r.migration().String()
	}
	return strings.Join(names, ", ")
}
