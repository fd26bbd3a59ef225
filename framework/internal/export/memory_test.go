package export_test

import (
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// mostGrowth is how much the memory may grow during an export.
const mostGrowth = 32 << 20

// rows stores orders of Ann, with numbers from 1, by statements that each store some of them.
func rows(t *testing.T, db *sqldb.DB, number int) {
	t.Helper()
	const columns, each = "INSERT INTO orders (id, owner_id, number, note, weight, placed_at) ", 20_000
	statement := columns + `SELECT CAST('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') AS uuid), ?2, n, '=a note of some length, number ' || n, n / 7.0, ?3
		FROM generate_series(?0, ?1) AS n`
	if db.Kind() == sqldb.SQLite {
		statement = "WITH RECURSIVE s (n) AS (SELECT ?0 UNION ALL SELECT n + 1 FROM s WHERE n < ?1) " + columns +
			"SELECT '00000000-0000-7000-8000-' || printf('%012x', n), ?2, n, '=a note of some length, number ' || n, n / 7.0, ?3 FROM s"
	}
	for from := 1; from <= number; from += each {
		if _, err := db.NewRaw(statement, from, min(number, from+each-1), apitest.ID("ann"), placed).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "ANALYZE orders"); err != nil {
		t.Fatal(err)
	}
}

// TestExportsAreStreamed exports 30,000 rows, or as many as TEST_EXPORT_ROWS says, and expects the memory to stay small.
// For 1,000,000 rows run make exports.
func TestExportsAreStreamed(t *testing.T) {
	number := 30_000
	if text := os.Getenv("TEST_EXPORT_ROWS"); text != "" {
		var err error
		if number, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
		rows(t, db, number)
		v := orders()
		v.Verbs.List = framework.Shows[plainView]()
		server := frameworktest.New(t, handler(t, db, v))
		for _, format := range []string{"csv", "ndjson"} {
			meter, began := newMeter(t), time.Now()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/api/orders/?format="+format, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Name ann")
			answer, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(meter, answer.Body)
			_ = answer.Body.Close()
			want := number
			if format == "csv" {
				want++ // the header
			}
			if err != nil || answer.StatusCode != http.StatusOK || meter.lines != want {
				t.Errorf("%s: status %d, %d lines, error %v; want %d lines", format, answer.StatusCode, meter.lines, err, want)
			}
			t.Logf("FIGURE %s: %d rows, %d MiB in %.1f s; the heap grew by %d KiB, and the process by %d KiB", format, number, meter.passed>>20,
				time.Since(began).Seconds(), (meter.heap-meter.idleHeap)>>10, (meter.process-meter.idleProcess)>>10)
			if grew := max(meter.heap-meter.idleHeap, meter.process-meter.idleProcess); grew > mostGrowth {
				t.Errorf("%s: the memory grew by %d MiB; want %d at most", format, grew>>20, mostGrowth>>20)
			}
		}
	})
}

type plainView struct {
	ID       uuid.UUID `json:"id"`
	Number   int64     `json:"number"`
	Note     string    `json:"note"`
	Weight   *float64  `json:"weight"`
	PlacedAt time.Time `json:"placed_at"`
}

// A meter takes an answer, and measures the memory of this process for every MiB of it.
type meter struct {
	passed, lines        int
	idleHeap, heap       int64
	idleProcess, process int64
}

// newMeter measures the memory before an export. Go gives memory back to the system after
// some minutes; FreeOSMemory does so at once. Until the test ends, garbage is collected as by default:
// make test lets more of it wait.
func newMeter(t *testing.T) *meter {
	t.Helper()
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	debug.FreeOSMemory()
	m := &meter{}
	m.measure()
	m.idleHeap, m.idleProcess = m.heap, m.process
	return m
}

func (m *meter) measure() {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m.heap, m.process = max(m.heap, int64(stats.HeapAlloc)), max(m.process, resident())
}

// resident is the memory of the process that is in use, where Linux shows it; else 0.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func (m *meter) Write(p []byte) (int, error) {
	before := m.passed >> 20
	m.passed += len(p)
	m.lines += strings.Count(string(p), "\n")
	if m.passed>>20 > before {
		m.measure()
	}
	return len(p), nil
}
