package compression_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// BenchmarkList reads a list of 20 rows of some 150 bytes from SQLite in turn without and with compression. It reports how long the
// compressed answer takes, and how long its body is, each as a multiple of the plain one.
func BenchmarkList(b *testing.B) {
	db, err := sqldb.Open("sqlite://"+filepath.Join(b.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(b.Context(), nil, archive, framework.Migrations()); err != nil {
		b.Fatal(err)
	}
	handler := serve(b, db, nil)
	for n := range 17 {
		sum := sha256.Sum256([]byte{byte(n)})
		apitest.Insert(b, db, &Paper{Title: fmt.Sprintf("Number %d", n), Text: fmt.Sprintf("A trestle of %d m, %x, built in 18%02d", sum[0], sum[:16], n)})
	}
	if _, err := db.ExecContext(b.Context(), "UPDATE papers SET text = 'A short text of 100 characters' WHERE id <= 3"); err != nil {
		b.Fatal(err)
	}
	get := func(accepts string) (time.Duration, int) {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/papers/", http.NoBody)
		r.Header.Set("Accept-Encoding", accepts)
		w, began := httptest.NewRecorder(), time.Now()
		handler.ServeHTTP(w, r)
		return time.Since(began), w.Body.Len()
	}
	for _, accepts := range []string{"gzip", "zstd"} {
		b.Run(accepts, func(b *testing.B) {
			var times [2]time.Duration
			var lengths [2]int
			for b.Loop() {
				for i, coding := range []string{"identity", accepts} {
					took, length := get(coding)
					times[i], lengths[i] = times[i]+took, length
				}
			}
			b.ReportMetric(float64(times[1])/float64(times[0]), "time/plain")
			b.ReportMetric(float64(lengths[1])/float64(lengths[0]), "bytes/plain")
		})
	}
}
