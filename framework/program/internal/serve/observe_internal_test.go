package serve

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestMetricsEndAmbiguousConnections: after a request with Transfer-Encoding the listener of the
// metrics closes the connection; a usual request keeps it.
func TestMetricsEndAmbiguousConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	end := serveMetrics(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "up 1") }), slog.New(slog.DiscardHandler))
	defer end()
	const usual = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, c := range map[string]struct {
		sent    string
		answers int
	}{
		"two usual requests": {usual + "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 2},
		"both lengths":       {"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + usual, 1},
		"a chunked body":     {"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + usual, 1},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.sent); err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(conn)
			if n := strings.Count(string(text), "HTTP/1.1 "); err != nil || n != c.answers {
				t.Errorf("%d answers, error %v:\n%s", n, err, text)
			}
		})
	}
}
