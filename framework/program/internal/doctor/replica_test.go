package doctor

import (
	"strings"
	"testing"

	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/sqldb"
)

// TestUnfitReplicas: states that the server of the tests never has.
func TestUnfitReplicas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		standby sqldb.Standby
		says    string
	}{
		"all is well":       {sqldb.Standby{MaxConns: 18}, ""},
		"far behind":        {sqldb.Standby{MaxConns: 100, Behind: 17 << 20}, "17825792 bytes"},
		"few connections":   {sqldb.Standby{MaxConns: 17}, "may open 18"},
		"promoted":          {sqldb.Standby{MaxConns: 100, Promoted: true, Behind: 17 << 20}, "not in recovery"},
		"another primary's": {sqldb.Standby{MaxConns: 100, Stranger: true, Promoted: true}, "no standby of the database"},
	} {
		t.Run(name, func(t *testing.T) {
			found := findUnfitReplica(config.Config{Program: "trestle"}, &c.standby, 18)
			if len(found) == 0 && c.says == "" {
				return
			}
			if len(found) != 1 || c.says == "" || !strings.Contains(found[0].What, c.says) {
				t.Errorf("it finds %+v; want one that says %q", found, c.says)
			}
		})
	}
}
