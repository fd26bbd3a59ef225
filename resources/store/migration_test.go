package store_test

import (
	"context"
	"strings"
	"testing"

	"trestle.example/resources"
)

// TestMigrationsGoDownAndUp: the store's tables can be taken away, with all
// they hold, and made again.
func TestMigrationsGoDownAndUp(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ctx := context.Background()
		s.stall()
		for undone := ""; !strings.HasSuffix(undone, "_store") || strings.HasSuffix(undone, "_demo_store"); {
			m, err := s.db.MigrateDown(ctx, nil, resources.Migrations()...)
			s.must(err)
			if undone = m.String(); undone == "" {
				t.Fatal("the store's migration is not among those that can be undone")
			}
		}
		for _, table := range catalogueTables {
			if _, err := s.db.NewRaw("SELECT 1 FROM " + table).Exec(ctx); err == nil {
				t.Errorf("%s is still there", table)
			}
		}
		s.must(s.db.Migrate(ctx, nil, resources.Migrations()...))
		s.stall()
		if got := s.products("").Total; got != 6 {
			t.Errorf("there are %d products", got)
		}
	})
}
