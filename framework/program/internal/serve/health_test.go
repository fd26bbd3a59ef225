package serve

import (
	"testing"

	"trestle.example/framework/program/internal/config"
)

func TestOwnAddress(t *testing.T) {
	t.Parallel()
	for listens, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080",
		":8080":          "127.0.0.1:8080",
		"0.0.0.0:80":     "127.0.0.1:80",
		"[::]:80":        "[::1]:80",
		"10.1.2.3:80":    "10.1.2.3:80",
		"a.example:80":   "a.example:80",
	} {
		if got, err := findOwnAddress(config.Config{Addr: listens}); got != want || err != nil {
			t.Errorf("%s is asked at %s, %v; want %s", listens, got, err, want)
		}
	}
}
