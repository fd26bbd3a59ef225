package httpserver_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	"trestle.example/framework/httpserver"
)

// A server for any handler, with a check of its database.
func ExampleServer() {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	ping := func(context.Context) error { return nil } // db.PingContext
	server := httpserver.New(hello, httpserver.Options{
		Limits: httpserver.Limits{Conns: 1000},
		Checks: []httpserver.Check{{Name: "database", Run: ping}},
		Log:    slog.New(slog.DiscardHandler),
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, listener) }()

	for _, path := range []string{"/", "/readyz"} {
		answer, err := new(http.Client).Get("http://" + listener.Addr().String() + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		fmt.Println(answer.StatusCode, string(text))
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 hello
	// 200 {"status":"ok","checks":{"database":"ok"}}
	// <nil>
}
