package serve

import (
	"net/http"
	"testing"

	"trestle.example/framework/program/internal/config"
)

// TestOtherOriginsAreNotNamedInProduction: any client may send any origin there.
func TestOtherOriginsAreNotNamedInProduction(t *testing.T) {
	t.Parallel()
	c := config.Config{Production: true}
	handler := nameOrigins(c, http.NotFoundHandler(), nil)
	if _, named := handler.(*otherSites); named {
		t.Error("they are")
	}
}
