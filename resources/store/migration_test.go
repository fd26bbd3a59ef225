package store_test

import (
	"context"
	"strings"
	"testing"

	"trestle.example/resources"
	"trestle.example/resources/store/internal/storetest"
)

// TestMigrationsGoDownAndUp: the store's tables can be taken away, with all
// they hold, and made again.
func TestMigrationsGoDownAndUp(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ctx := context.Background()
		s.CreateStall()
		for undone := ""; !strings.HasSuffix(undone, "_store") || strings.HasSuffix(undone, "_demo_store"); {
			m, err := s.DB.MigrateDown(ctx, nil, resources.Migrations()...)
			s.Must(err)
			if undone = m.String(); undone == "" {
				t.Fatal("the store's migration is not among those that can be undone")
			}
		}
		for _, table := range storetest.CatalogueTables {
			if _, err := s.DB.NewRaw("SELECT 1 FROM " + table).Exec(ctx); err == nil {
				t.Errorf("%s is still there", table)
			}
		}
		s.Must(s.DB.Migrate(ctx, nil, resources.Migrations()...))
		s.CreateStall()
		if got := s.ListProducts("").Total; got != 6 {
			t.Errorf("there are %d products", got)
		}
	})
}
