package migrationfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestNewMigration(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 30, 45, 0, time.UTC)
	for name, test := range map[string]struct {
		there []string
		want  string
	}{
		"its id is the time":                    {nil, "20261120123045_add_email"},
		"older ones do not matter":              {[]string{"0001_users.tx.up.sql", "20261120123044_a.tx.up.sql"}, "20261120123045_add_email"},
		"it comes after one of the same second": {[]string{"20261120123045_a.tx.up.sql"}, "20261120123046_add_email"},
		"it comes after one from the future":    {[]string{"20270101000000_a.tx.down.sql"}, "20270101000001_add_email"},
		"other files do not matter":             {[]string{"30000101000000_notes.txt", "migrations.go"}, "20261120123045_add_email"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, file := range test.there {
				if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Write(dir, "add_email", now, "", "")
			want := []string{filepath.Join(dir, test.want+".tx.up.sql"), filepath.Join(dir, test.want+".tx.down.sql")}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q, %v; want %q", got, err, want)
			}
			for _, file := range got {
				if info, err := os.Stat(file); err != nil || info.Size() != 0 {
					t.Errorf("%s: %v; want an empty file", file, err)
				}
			}
		})
	}
}
