package program

import (
	"net/http"
	"testing"
)

// TestOtherOriginsAreNotNamedInProduction, where anybody may send any origin.
func TestOtherOriginsAreNotNamedInProduction(t *testing.T) {
	t.Parallel()
	c := config{production: true}
	handler := c.naming(http.NotFoundHandler(), nil)
	if _, named := handler.(*otherSites); named {
		t.Error("they are")
	}
}
