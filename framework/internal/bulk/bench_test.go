package bulk_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
	"trestle.example/internal/testserver/postgres"
)

// BenchmarkCreate measures how many times as long 1,000 requests for a row take as one request for 1,000.
func BenchmarkCreate(b *testing.B) {
	for name, url := range map[string]func() string{
		"sqlite": func() string { return "sqlite://" + b.TempDir() + "/bulk.db" }, "postgresql": func() string { return postgres.Database(b) },
	} {
		b.Run(name, func(b *testing.B) {
			db, err := sqldb.Open(url(), sqldb.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if err := db.Migrate(context.Background(), nil, shop); err != nil {
				b.Fatal(err)
			}
			api := framework.New(apitest.Config(db))
			api.Register(resources()...)
			handler, err := api.Handler()
			if err != nil {
				b.Fatal(err)
			}
			ada, n := apitest.As(frameworktest.New(b, handler), "ada"), 0
			times := func(request func(c *frameworktest.Client, prefix string)) time.Duration {
				n++
				began := time.Now()
				request(ada, fmt.Sprint(n, "-"))
				return time.Since(began)
			}
			for b.Loop() {
				single := times(func(c *frameworktest.Client, prefix string) {
					for _, item := range some(prefix, 1_000) {
						c.Post("/api/products/", item).Expect(201)
					}
				})
				bulk := times(func(c *frameworktest.Client, prefix string) { c.Post(path, some(prefix, 1_000)).Expect(200) })
				b.ReportMetric(float64(single)/float64(bulk), "times")
				b.ReportMetric(bulk.Seconds()*1000, "ms/bulk")
			}
		})
	}
}
