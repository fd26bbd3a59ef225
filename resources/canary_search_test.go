package resources_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// searches lets the canary hear every column of every table, and of SQLite the
// very file.
func (k *canary) searches(db *sqldb.DB) {
	k.tb.Helper()
	listing := `SELECT '"' || table_schema || '"."' || table_name || '"', table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`
	if db.Kind() == sqldb.SQLite {
		listing = `SELECT '"' || name || '"', name FROM sqlite_master WHERE type = 'table'`
		k.searchesFile(db)
	}
	tables := map[string]string{}
	rows, err := db.QueryContext(k.tb.Context(), listing)
	k.must(err)
	for rows.Next() {
		var quoted, name string
		k.must(rows.Scan(&quoted, &name))
		tables[quoted] = name
	}
	k.must(errors.Join(rows.Err(), rows.Close()))
	for _, quoted := range slices.Sorted(maps.Keys(tables)) {
		k.searchesTable(db, quoted, tables[quoted])
	}
	for _, name := range []string{"auth_users", "auth_tokens", "auth_sessions", "auth_jwt_families", "auth_jwt_superseded", "patients", "appointments"} {
		if !slices.Contains(slices.Collect(maps.Values(tables)), name) {
			k.tb.Errorf("the table %s was not searched", name)
		}
	}
}

func (k *canary) searchesTable(db *sqldb.DB, quoted, name string) {
	k.tb.Helper()
	rows, err := db.QueryContext(k.tb.Context(), "SELECT * FROM "+quoted) //nolint:unqueryvet // every column there is
	k.must(err)
	columns, err := rows.Columns()
	k.must(err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		k.must(rows.Scan(into...))
		for i, value := range values {
			text, isBytes := value.([]byte)
			if !isBytes {
				text = []byte(fmt.Sprint(value))
			}
			k.hears("column "+name+"."+columns[i], text)
		}
	}
	k.must(errors.Join(rows.Err(), rows.Close()))
}

// searchesFile reads a SQLite database as a thief would.
func (k *canary) searchesFile(db *sqldb.DB) {
	k.tb.Helper()
	var file string
	k.must(db.QueryRowContext(k.tb.Context(), "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file))
	for _, part := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(file + part)
		if !errors.Is(err, fs.ErrNotExist) {
			k.must(err)
		}
		k.hears("file", content)
	}
}

// hashes lets the canary know the password hashes, which belong in one column
// and nowhere else.
func (f *flight) hashes() {
	f.tb.Helper()
	var stored []string
	f.must(f.db.NewSelect().Table("auth_users").Column("password_hash").Scan(f.tb.Context(), &stored))
	for i, hash := range stored {
		parts := strings.Split(hash, "$")
		for _, at := range []int{len(parts) - 2, len(parts) - 1} {
			name := fmt.Sprintf("part %d of password hash %d", at, i)
			f.knows(name, parts[at])
			f.allows("column auth_users.password_hash", name)
			f.allows("file", name)
		}
	}
}

// prints lets the canary hear how the values that hold secrets print.
func (f *flight) prints(keys *auth.Keys) {
	token, _, err := f.identity.Users.IssueToken(f.tb.Context(), f.db.Session(), f.asha(), "", 0)
	f.must(err)
	pair, err := f.identity.JWT.Issue(f.tb.Context(), f.db.Session(), f.asha())
	f.must(err)
	f.knows("printed token", token.Reveal())
	f.knows("printed JWT", pair.Access.Reveal()[strings.LastIndex(pair.Access.Reveal(), ".")+1:])
	log := f.log("printed")
	for _, value := range []any{
		f.identity, f.identity.JWT, f.identity.Users, f.identity.Sessions, *f.identity, keys, token, pair, f.asha(),
		auth.Config{JWT: auth.JWTOptions{Keys: keys}}, auth.NewUser{Email: "b@example.org", Password: f.plant("printed password")},
		fmt.Errorf("about %v and %+v", token, pair),
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			f.hears("printed", fmt.Appendf(nil, verb, value))
		}
		log.Info("value", "value", value)
	}
	for _, value := range []any{f.identity, keys, token, pair, f.asha()} {
		text, _ := json.Marshal(value) // some cannot be, which is as well
		f.hears("printed", text)
	}
}

// asha is the user who owns most of the secrets.
func (f *flight) asha() auth.User {
	user, err := f.identity.Users.FindUser(f.tb.Context(), f.db.Session(), "asha@example.org")
	f.must(err)
	return user
}
