package migrate

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/sqldb/internal/dialect"
)

const (
	upSuffix   = ".tx.up.sql"
	downSuffix = ".tx.down.sql"
)

var changeName = regexp.MustCompile(`^([0-9]+)_([A-Za-z0-9_\-]+)$`)

// plan is what the files of the sets hold, in running order.
type plan struct {
	namespaces []string
	changes    []*change
}

// Check reads and renders the files of every set for each database, and returns the first mistake.
func Check(sets []Set) error {
	for _, k := range []dialect.Kind{dialect.PostgreSQL, dialect.SQLite} {
		if _, err := (Database{Kind: k}).readPlan(sets); err != nil {
			return err
		}
	}
	return nil
}

// readPlan reads and renders the files of every set.
func (db Database) readPlan(sets []Set) (plan, error) {
	var p plan
	for _, set := range sets {
		if set.Namespace == "" || slices.Contains(p.namespaces, set.Namespace) {
			return plan{}, fmt.Errorf("sqldb: the namespace %q of a set of migrations must not be empty nor be given twice", set.Namespace)
		}
		changes, err := readSet(set, db.Kind)
		if err != nil {
			return plan{}, fmt.Errorf("sqldb: migrations %q: %w", set.Namespace, err)
		}
		p.namespaces = append(p.namespaces, set.Namespace)
		p.changes = append(p.changes, changes...)
	}
	return p, nil
}

func readSet(set Set, k dialect.Kind) ([]*change, error) {
	entries, err := fs.ReadDir(set.FS, ".")
	if err != nil {
		return nil, err
	}
	byID := map[string]*change{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".sql") {
			continue
		}
		if err := readFile(set, e.Name(), k, byID); err != nil {
			return nil, err
		}
	}
	return inOrder(byID)
}

// readFile adds one file to the change it belongs to.
func readFile(set Set, file string, k dialect.Kind, byID map[string]*change) error {
	base, isUp := strings.CutSuffix(file, upSuffix)
	base, isDown := strings.CutSuffix(base, downSuffix)
	parts := changeName.FindStringSubmatch(base)
	if parts == nil || isUp == isDown {
		return fmt.Errorf("the file %s is not named as a migration; write <digits>_<name>%s or <digits>_<name>%s", file, upSuffix, downSuffix)
	}
	raw, err := fs.ReadFile(set.FS, file)
	if err != nil {
		return err
	}
	text, err := Render(file, string(raw), k)
	if err != nil {
		return err
	}
	breaking, err := isBreaking(file, text, isUp)
	if err != nil {
		return err
	}
	statements := Split(text)
	key := orderKey(parts[1])
	c, ok := byID[key]
	if !ok {
		c = &change{namespace: set.Namespace, id: parts[1], name: parts[2]}
		byID[key] = c
	}
	if c.name != parts[2] || c.id != parts[1] {
		return fmt.Errorf("the id %s is given to both %s_%s and %s; each migration needs an id of its own", parts[1], c.id, c.name, base)
	}
	if isUp {
		c.up, c.checksum, c.breaking = statements, checksum(raw), breaking
	} else {
		c.down = statements
	}
	return nil
}

// orderKey returns an id without leading zeros: 1, 01 and 001 are the same number.
func orderKey(id string) string { return strings.TrimLeft(id, "0") }

func inOrder(byID map[string]*change) ([]*change, error) {
	var changes []*change
	for _, c := range byID {
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b *change) int {
		ka, kb := orderKey(a.id), orderKey(b.id)
		return cmp.Or(cmp.Compare(len(ka), len(kb)), cmp.Compare(ka, kb))
	})
	for _, c := range changes {
		if c.up == nil || c.down == nil {
			missing := upSuffix
			if c.up != nil {
				missing = downSuffix
			}
			return nil, fmt.Errorf("the migration %s_%s has no file %s_%s%s; each needs both (a comment alone will do)", c.id, c.name, c.id, c.name, missing)
		}
	}
	return changes, nil
}
