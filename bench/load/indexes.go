package main

import (
	"context"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// The statements that make and drop each index of a table, but for those of
// constraints. On SQLite the triggers of the search index are among them.
var indexes = map[sqldb.Kind]string{
	sqldb.PostgreSQL: `SELECT indexdef, format('DROP INDEX %I', indexname) FROM pg_indexes
		WHERE schemaname = current_schema() AND tablename IN (?) AND indexname NOT IN (SELECT conname FROM pg_constraint) ORDER BY indexname`,
	sqldb.SQLite: `SELECT sql, 'DROP ' || type || ' "' || name || '"' FROM sqlite_master
		WHERE type IN ('index', 'trigger') AND tbl_name IN (?) AND sql IS NOT NULL ORDER BY name`,
}

// rebuilt are the statements that fill what a trigger would have filled.
var rebuilt = map[sqldb.Kind][]string{
	sqldb.SQLite: {`INSERT INTO patients_search_fts (patients_search_fts) VALUES ('rebuild')`},
}

// withoutIndexes runs fill while the tables have no indexes, which is several
// times as fast as inserting into each of them row by row.
func withoutIndexes(ctx context.Context, s *sqldb.Session, fill func() error) error {
	kind := s.DB().Kind()
	found, err := s.Read(ctx, bun.SafeQuery(indexes[kind], bun.List([]string{"patients", "appointments"})))
	if err != nil {
		return err
	}
	var dropping, making []string
	for i := range found.Len() {
		var makes, drops string
		if err := found.Scan(i, &makes, &drops); err != nil {
			return err
		}
		making, dropping = append(making, makes), append(dropping, drops)
	}
	if err := each(ctx, s, dropping); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	return each(ctx, s, append(making, rebuilt[kind]...))
}

func each(ctx context.Context, s *sqldb.Session, statements []string) error {
	for _, text := range statements {
		if _, err := s.Exec(ctx, bun.SafeQuery(text)); err != nil {
			return err
		}
	}
	return nil
}
