package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

// checkFile checks the file of a SQLite database, and reports whether the file exists and can
// be opened. On PostgreSQL it checks nothing and returns true.
func (e *examination) checkFile() (there bool) {
	path := sqldb.File(e.DatabaseURL)
	if path == "" {
		return true
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		fix := e.Text("{program} migrate up makes it; or set DATABASE_URL right")
		e.found("file", "", Finding{problem, path, "there is no database yet: " + err.Error(), fix})
		return false
	case err != nil:
		e.found("file", "", Finding{problem, path, err.Error(), "let the user who runs this read the file, or set DATABASE_URL right"})
		return false
	case !info.Mode().IsRegular():
		e.found("file", "", Finding{problem, path, "it is no file", "set DATABASE_URL to a file"})
		return false
	}
	if found := findUnopened(path); found != nil {
		e.found("file", "", found...)
		return false
	}
	e.found("file", "", append(findReadable(path, "it holds everything"), findWritableFolder(filepath.Dir(path))...)...)
	return true
}

// findUnopened returns a finding if the user who runs this cannot open a file for reading and
// writing.
func findUnopened(path string) []Finding {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return []Finding{{problem, path, err.Error(), "let the user who runs this read and write the file, or set DATABASE_URL right"}}
	}
	_ = f.Close()
	return nil
}

// findWritableFolder returns a finding if every user of the machine can replace a file in
// a folder. On Windows it returns none.
func findWritableFolder(path string) []Finding {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o002 == 0 || info.Mode()&os.ModeSticky != 0 || runtime.GOOS == "windows" {
		return nil
	}
	return []Finding{{problem, path, "every user of this machine can replace the database by another file", "chmod o-w " + path}}
}

// examineDatabase makes the checks of a database, and returns the missing indexes. If the
// database does not answer, or its schema is incomplete, it leaves out the checks that need
// that. An error is a mistake in the declarations, not a fault of the database.
func (e *examination) examineDatabase(ctx context.Context, s *site.Site) (missing []framework.IndexNeed, err error) {
	version, err := s.DB.Version(ctx)
	if err != nil {
		e.found("database", "", describeUnanswered(e.Project, err))
		return nil, nil
	}
	e.found("database", version.String(), findOldVersion(version, config.DatabaseVariable)...)
	e.found("connection", "", append(findUnsafeLink(s.DB.Link(), config.DatabaseVariable), findAnyHost(s.DB)...)...)
	e.found("writes", "", findUnwritable(ctx, s)...)
	e.found("pooler", "", append(findPooler(ctx, s), findUnlimited(ctx, s)...)...)
	e.examineReplica(ctx, s.DB)
	e.found("journal", "", findJournal(ctx, s)...)
	migrated, findings := findUnmigrated(ctx, s)
	e.found("migrations", "", findings...)
	if findings, read := findLock(ctx, s); read {
		e.found("migration lock", "", findings...)
	}
	if !migrated {
		return nil, nil
	}
	apis, err := s.APIs()
	if err != nil {
		return nil, err
	}
	complete, findings := findMissingColumns(ctx, s, apis)
	e.found("tables and columns", "", findings...)
	if !complete {
		return nil, nil
	}
	lacksColumns := len(findings) > 0
	e.found("constraints", "", append(findMissingChecks(ctx, s, apis), findWideUniques(ctx, s, apis)...)...)
	missing, findings = findUnindexedOf(ctx, s, apis)
	e.found("indexes", "", findings...)
	if !lacksColumns {
		e.found("search documents", "", findUnsearchable(ctx, s, apis[0])...)
	}
	return missing, nil
}

// describeUnanswered returns the finding about a database that does not answer.
func describeUnanswered(p site.Project, err error) Finding {
	fix := "start the database, or set DATABASE_URL right; the checks of what it holds were left out"
	if sqldb.IsSQLite(err) {
		fix = "let the user who runs this read and write the file and its folder, restore it from a backup, or set DATABASE_URL right; the checks of what it holds were left out"
	}
	return Finding{problem, config.DatabaseVariable, p.Explain(err), fix}
}

func findOldVersion(v sqldb.Version, variable string) []Finding {
	if !v.Old {
		return nil
	}
	return []Finding{{problem, variable, v.String() + " is older than what is tested", "move to PostgreSQL 15 or newer"}}
}

func findUnsafeLink(l sqldb.Link, variable string) []Finding {
	fix := "leave sslmode out of " + variable + ", which is verify-full then, and name the server's authority by sslrootcert if it is no public one"
	switch {
	case l.Local || l.Verified:
		return nil
	case l.Encrypted:
		return []Finding{{warning, variable, "the server's certificate is not checked, so another may pass for it", fix}}
	}
	return []Finding{{warning, variable, "all queries and their results cross the network without encryption", "if other users share that network, " + fix}}
}

// findUnwritable returns the finding about a PostgreSQL database that takes no writes.
func findUnwritable(ctx context.Context, s *site.Site) []Finding {
	switch err := s.DB.Writable(ctx); {
	case err == nil:
		return nil
	case sqldb.IsReadOnly(err):
		return []Finding{{
			problem, config.DatabaseVariable, "the database takes no writes: the server is a standby, or default_transaction_read_only is on. A server is not ready, and answers writes with 503",
			"name the primary by DATABASE_URL, or several hosts and target_session_attrs=read-write; or set default_transaction_read_only off for the role and the database",
		}}
	default:
		return describeUnchecked(s.Project, err)
	}
}

// findPooler returns the finding about a pooler; if {PROGRAM}_PREPARE is off, it returns
// none. If the check fails, it returns a finding about that in both cases.
func findPooler(ctx context.Context, s *site.Site) []Finding {
	looks, err := s.DB.LooksPooled(ctx)
	switch {
	case err != nil:
		return describeUnchecked(s.Project, err)
	case !looks || !s.Prepare:
		return nil
	}
	return []Finding{{
		warning, config.DatabaseVariable, "there is a pooler between: PostgreSQL sees another port and another process number than the connection has. " +
			"A server then sets no time limits but those in DATABASE_URL, because other clients may get them with the connection",
		s.Text("set {PROGRAM}_PREPARE=off for every server, and the limits for the role instead of in DATABASE_URL"),
	}}
}

// WarnOfPooler logs the finding about a pooler.
func WarnOfPooler(ctx context.Context, s *site.Site) {
	for _, f := range findPooler(ctx, s) {
		s.Log.Warn(f.What + "; " + f.Fix)
	}
}

// findUnlimited returns the finding about a role of PostgreSQL that lacks a time limit for
// statements. If {PROGRAM}_PREPARE is on, servers set the limits, or [findPooler] reports that they
// do not, and there is no finding.
func findUnlimited(ctx context.Context, s *site.Site) []Finding {
	if s.Prepare || s.DB.Kind() != sqldb.PostgreSQL {
		return nil
	}
	var missing []string
	err := s.DB.NewRaw(`SELECT name FROM pg_settings WHERE reset_val = '0'
		AND name IN ('statement_timeout', 'lock_timeout', 'client_connection_check_interval') ORDER BY name`).Scan(ctx, &missing)
	switch {
	case err != nil:
		return describeUnchecked(s.Project, err)
	case missing == nil:
		return nil
	}
	return []Finding{{
		warning, config.DatabaseVariable, "the role has no " + strings.Join(missing, ", no ") + s.Text(": with {PROGRAM}_PREPARE=off the servers set none, so a statement runs until it is done"),
		"as an administrator of PostgreSQL: ALTER ROLE name SET statement_timeout = '10s', and so for lock_timeout ('5s') and client_connection_check_interval ('100ms')",
	}}
}

// findAnyHost returns the finding about several hosts without target_session_attrs.
func findAnyHost(db *sqldb.DB) []Finding {
	if !db.LeadsAnywhere() {
		return nil
	}
	return []Finding{{
		warning, config.DatabaseVariable, "it names several hosts and does not say which of them to use, so a connection may lead to a standby, which takes no writes",
		"add target_session_attrs=read-write to " + config.DatabaseVariable,
	}}
}

func findJournal(ctx context.Context, s *site.Site) []Finding {
	ahead, err := s.DB.WritesAhead(ctx)
	switch {
	case err != nil:
		return describeUnchecked(s.Project, err)
	case ahead:
		return nil
	}
	return []Finding{{warning, config.DatabaseVariable, "there is no write-ahead log, so readers and a writer wait for each other", "keep the file on a disk of this machine, not of a network"}}
}

// describeUnchecked returns the finding about a check that could not be made.
func describeUnchecked(p site.Project, err error) []Finding {
	if sqldb.IsDenied(err) {
		return []Finding{{problem, config.DatabaseVariable, p.Explain(err), grant}}
	}
	return []Finding{{problem, config.DatabaseVariable, "this could not be checked: " + p.Explain(err), "run it again; if that does not help, read what the database's log says"}}
}

// findUnmigrated returns the findings about pending, unknown and changed migrations. migrated
// is false if a migration is pending or the records cannot be used. A failed migration leaves
// nothing behind, and is pending.
func findUnmigrated(ctx context.Context, s *site.Site) (migrated bool, found []Finding) {
	list, err := s.DB.MigrationStatus(ctx, s.Migrations...)
	if missing, ok := errors.AsType[*sqldb.MissingRecordError](err); ok {
		return false, describeUnrecorded(s.Project, missing)
	}
	if sqldb.IsDenied(err) {
		return false, []Finding{{problem, "trestle_migrations", s.Explain(err), grant}}
	}
	if err != nil {
		fix := "correct the migration that it names; if it names none, read what the database's log says"
		if _, other := errors.AsType[*sqldb.OtherVersionError](err); other {
			fix = s.Text("run the version of the program that has them; {program} migrate status lists all")
		}
		return false, []Finding{{problem, "trestle_migrations", s.Explain(err), fix}}
	}
	if pending := site.PendingNames(list); len(pending) > 0 {
		what := fmt.Sprintf("%s pending (%s); the checks of what the schema holds were left out", console.Count(len(pending), "migration is", "migrations are"), strings.Join(pending, ", "))
		found = append(found, Finding{problem, "trestle_migrations", what, s.Text("{program} migrate up")})
	}
	migrated = len(found) == 0
	for _, m := range list {
		if m.Unknown {
			found = append(found, Finding{
				warning, m.String(), "another version of the program applied it, and this one lacks it", "run the version that has it",
			})
		}
		if m.Changed {
			found = append(found, Finding{
				warning, m.String(), "its file was changed since it was applied, so other databases may have another schema",
				s.Text("put the file back, and make a migration of the difference: {program} migrate new"),
			})
		}
	}
	return migrated, found
}

// describeUnrecorded returns the finding about an incomplete table of the records of
// migrations.
func describeUnrecorded(p site.Project, m *sqldb.MissingRecordError) []Finding {
	return []Finding{{problem, strings.TrimSuffix(m.Table+"."+m.Column, "."), m.Error(), p.CureRecord(m)}}
}

// findLock returns the finding about a lock of migrations that cannot be read, or is held by a
// process. It reports false if a table of the records is incomplete, which the check of the migrations reports. On SQLite no process is known to hold it.
func findLock(ctx context.Context, s *site.Site) (found []Finding, read bool) {
	const place = "trestle_migration_lock"
	lock, err := s.DB.MigrationLock(ctx)
	_, incomplete := errors.AsType[*sqldb.MissingRecordError](err)
	switch {
	case incomplete:
		return nil, false
	case err != nil:
		return describeUnchecked(s.Project, err), true
	case lock.Holder == 0:
		return nil, true
	}
	since := ""
	if !lock.Since.IsZero() {
		since = " since " + lock.Since.UTC().Format(time.RFC3339)
	}
	return []Finding{{
		warning, place, fmt.Sprintf("the server's process %d holds it%s, and others that migrate wait", lock.Holder, since),
		fmt.Sprintf("wait for the migration that is running; if none is: SELECT pg_terminate_backend(%d);", lock.Holder),
	}}, true
}

// grant is the cure of a right that the role of the database lacks.
const grant = "GRANT the role the right that the message names: USAGE on a schema, or SELECT, INSERT, UPDATE and DELETE on a table"

// findUnsearchable returns the findings about resources with rows that no search finds, and
// about resources whose rows could not be checked.
func findUnsearchable(ctx context.Context, s *site.Site, api *framework.API) (found []Finding) {
	for _, viewset := range api.Searchable() {
		stale, err := api.NeedsReindex(ctx, viewset)
		switch {
		case sqldb.IsDenied(err):
			found = append(found, Finding{problem, viewset, s.Explain(err), grant})
		case err != nil:
			what := "its rows could not be checked: " + s.Explain(err)
			found = append(found, Finding{warning, viewset, what, "run it again with a longer --statement-timeout"})
		case stale:
			found = append(found, Finding{problem, viewset, "it has rows whose search document is empty, so that no search finds them", s.Text("{program} reindex ") + viewset})
		}
	}
	return found
}

// findUnindexedOf returns what findUnindexed returns for each API. An index that two APIs need is
// there once.
func findUnindexedOf(ctx context.Context, s *site.Site, apis []*framework.API) (missing []framework.IndexNeed, found []Finding) {
	for _, api := range apis {
		needs, findings := findUnindexed(ctx, s, api)
		for _, n := range needs {
			same := func(other framework.IndexNeed) bool { return other.String() == n.String() && other.Unique == n.Unique }
			if !slices.ContainsFunc(missing, same) {
				missing = append(missing, n)
			}
		}
		for _, f := range findings {
			same := func(other Finding) bool { return other.Where == f.Where && other.Fix == f.Fix }
			if !slices.ContainsFunc(found, same) {
				found = append(found, f)
			}
		}
	}
	return missing, found
}

// findUnindexed returns the missing indexes, and findings about them and about indexes
// that are not finished.
func findUnindexed(ctx context.Context, s *site.Site, api *framework.API) (missing []framework.IndexNeed, found []Finding) {
	missing, err := api.MissingIndexes(ctx)
	if err != nil {
		return nil, describeUnchecked(s.Project, err)
	}
	for _, n := range missing {
		what := "no index begins with these columns; rows are read and put in order without one for " + strings.Join(n.For, ", ")
		switch {
		case n.Unique:
			what = "no unique index is of these columns; nothing keeps their values unique for " + strings.Join(n.For, ", ")
		case n.Search:
			what = "the search index is not there, or not all of it; searches look into it: " + strings.Join(n.For, ", ")
		}
		fix := n.Create()
		if strings.Contains(fix, "{{") { // a template, which only a migration expands
			fix = s.Text("{program} doctor --migration NAME writes it")
		}
		if n.Unique && n.Partial && n.Where == "" {
			fix += " If only some of the rows must be unique, add their condition before the semicolon: WHERE ..."
		}
		found = append(found, Finding{problem, n.String(), what, fix})
	}
	for _, text := range api.Unserved() {
		place, what, _ := strings.Cut(text, ": ")
		found = append(found, Finding{warning, place, what, "if the table stays small, add the name to Unindexed of the viewset"})
	}
	seen := map[string]bool{}
	for _, n := range api.Indexes() {
		if seen[n.Table] {
			continue
		}
		seen[n.Table] = true
		there, err := s.DB.Indexes(ctx, n.Table)
		if err != nil {
			return missing, append(found, describeUnchecked(s.Project, err)...)
		}
		found = append(found, findUnfinished(there)...)
	}
	return missing, found
}

func findUnfinished(there []sqldb.Index) (found []Finding) {
	for _, i := range there {
		if i.Unfinished {
			found = append(found, Finding{
				problem, i.Name, "PostgreSQL began this index CONCURRENTLY and did not finish it: it serves nothing, and each write pays for it",
				`DROP INDEX "` + strings.ReplaceAll(i.Name, `"`, `""`) + `"; and create it again`,
			})
		}
	}
	return found
}

// formatIndexes returns the texts of the two files of a migration that creates indexes.
func formatIndexes(needs []framework.IndexNeed) (up, down string) {
	var made, dropped []string
	for _, n := range needs {
		condition := ""
		if n.Unique && n.Partial && n.Where == "" {
			condition = "-- If only some of the rows must be unique, add their condition: WHERE ...\n"
		}
		made = append(made, "-- "+strings.Join(n.For, ", ")+"\n"+condition+n.Create()+"\n")
		dropped = append([]string{n.Drop() + "\n"}, dropped...)
	}
	const between = "\n--bun:split\n\n"
	return indexPreface + strings.Join(made, between), strings.Join(dropped, between)
}

const indexPreface = `-- Indexes that the declarations need. This is one transaction, in which PostgreSQL
-- cannot CREATE INDEX CONCURRENTLY: writes to a table wait while its index is made.
-- For a large table make it by hand before, with CONCURRENTLY and under the same
-- name; what is there already stays as it is.

`
