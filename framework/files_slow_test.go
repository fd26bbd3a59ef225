package framework_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/sqldb"
)

// A watched storage reports when an upload begins and ends.
type watched struct {
	files.Storage
	began chan struct{}
	ended chan error
}

func watch(s files.Storage) watched {
	return watched{s, make(chan struct{}, 10), make(chan error, 10)}
}

func (w watched) Put(ctx context.Context, key string, body io.Reader, kind string) error {
	w.began <- struct{}{}
	err := w.Storage.Put(ctx, key, body, kind)
	w.ended <- err
	return err
}

// dialUpload opens a connection and sends the head of an upload and the beginning of its body.
func dialUpload(tb testing.TB, at, path string, length int, begin []byte) net.Conn {
	tb.Helper()
	u, err := url.Parse(at)
	if err != nil {
		tb.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Name ada\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, u.Host, http.DetectContentType(begin), length)
	if _, err := conn.Write(begin); err != nil {
		tb.Fatal(err)
	}
	return conn
}

// TestUploadsThatAreCut: a client that disconnects in the middle leaves nothing, and the row
// keeps its file.
func TestUploadsThatAreCut(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		watching := watch(storage)
		api := serve(t, fileConfig(db), peopleWith(watching))
		at := newPerson(api) + "photo/"
		api.as("ada").upload(at, "image/png", pngOf(1, 1)).is(200)
		<-watching.began
		<-watching.ended

		conn := dialUpload(t, api.url, at, 60_000, padded(pngOf(2, 2), 8<<10))
		<-watching.began
		_ = conn.Close()
		if err := <-watching.ended; err == nil {
			t.Error("the storage took a part of the content")
		}
		stores(t, storage, 1)
		if read := api.as("ada").get(at).is(200); read.body != string(pngOf(1, 1)) {
			t.Error("the row lost its file")
		}
	})
}

// TestUploadsThatEndEarly: a client that sends less than it announced, and still reads, gets the
// error of a cut body, as for any other body.
func TestUploadsThatEndEarly(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serve(t, fileConfig(db), peopleWith(storage))
		at := newPerson(api) + "photo/"
		conn := dialUpload(t, api.url, at, 60_000, padded(pngOf(2, 2), 8<<10))
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		if r.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "invalid_upload") {
			t.Errorf("the answer is %d %s", r.StatusCode, body)
		}
		stores(t, storage, 0)
	})
}

// TestUploadsThatStall: a client that pauses for longer than the server allows gets 408, and
// nothing is left.
func TestUploadsThatStall(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := framework.New(fileConfig(db))
		api.Register(peopleWith(storage))
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		usual := &client{Client: frameworktest.New(t, handler), tb: t}
		at := newPerson(usual) + "photo/"
		address := listen(t, handler, httpserver.Limits{Stall: 50 * time.Millisecond})

		conn := dialUpload(t, "http://"+address, at, 60_000, padded(pngOf(2, 2), 8<<10))
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		if r.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(body), "request_timeout") {
			t.Errorf("the answer is %d %s", r.StatusCode, body)
		}
		stores(t, storage, 0)
	})
}

// TestUploadsOutlastTheLimits: an upload and a download may take longer than the time limit of
// requests, and than the server's limits of a whole body and of a whole answer.
func TestUploadsOutlastTheLimits(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		c := fileConfig(db)
		api := framework.New(c)
		api.Register(peopleWith(disk(t)))
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		at := newPerson(&client{Client: frameworktest.New(t, handler), tb: t}) + "photo/"

		c.Timeout = 100 * time.Millisecond
		hurried := framework.New(c)
		hurried.Register(peopleWith(disk(t)))
		if handler, err = hurried.Handler(); err != nil {
			t.Fatal(err)
		}
		limits := httpserver.Limits{Read: 50 * time.Millisecond, Write: 50 * time.Millisecond, Stall: time.Minute, Grace: time.Minute}
		address := listen(t, handler, limits)
		photo := padded(pngOf(2, 2), 20_000)
		conn := dialUpload(t, "http://"+address, at, len(photo), photo[:10_000])
		<-time.After(300 * time.Millisecond) // longer than each limit
		if _, err := conn.Write(photo[10_000:]); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if body, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK {
			t.Errorf("the answer is %d %s", r.StatusCode, body)
		}
	})
}

// TestUploadsOutlastTheLimitOfTheAnswer: with HTTP/2 too, where the server ends a request at this
// limit even before the answer begins.
func TestUploadsOutlastTheLimitOfTheAnswer(t *testing.T) {
	db := sqlite(t)
	if err := db.Migrate(t.Context(), nil, peopleSchema); err != nil {
		t.Fatal(err)
	}
	api := framework.New(fileConfig(db))
	api.Register(peopleWith(disk(t)))
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	at := newPerson(&client{Client: frameworktest.New(t, handler), tb: t}) + "photo/"
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2, server.Config.WriteTimeout = true, 2*time.Second
	server.StartTLS()
	defer server.Close()

	photo := padded(pngOf(2, 2), 20_000)
	body, send := io.Pipe()
	go func() {
		_, _ = send.Write(photo[:10_000])
		<-time.After(server.Config.WriteTimeout + 500*time.Millisecond)
		_, err := send.Write(photo[10_000:])
		_ = send.CloseWithError(err)
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+at, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Name ada")
	r.Header.Set("Content-Type", "image/png")
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
		t.Errorf("the answer is %s %d %s", answer.Proto, answer.StatusCode, text)
	}
}

// listen serves a handler by package httpserver until the test ends, and returns the address.
func listen(t *testing.T, handler http.Handler, limits httpserver.Limits) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := httpserver.New(handler, httpserver.Options{Limits: limits, Log: slog.New(slog.DiscardHandler)})
	go func() { ended <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// TestContentsThatAreLost: a row whose content is missing, or shorter than the row says, is an
// error of the server: 500 before the answer begins, a closed connection after it.
func TestContentsThatAreLost(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage, logged := disk(t), &lines{}
		c := fileConfig(db)
		c.Log = slog.New(slog.NewTextHandler(logged, nil))
		api := serve(t, c, peopleWith(storage))
		at := newPerson(api) + "photo/"
		ada := api.as("ada")
		ada.upload(at, "image/png", padded(pngOf(1, 1), 50_000)).is(200)
		key := keysIn(t, storage)[0]
		if err := storage.Put(context.Background(), key, bytes.NewReader(padded(pngOf(1, 1), 20_000)), ""); err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest(http.MethodGet, api.url+at, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Name ada")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err == nil {
			t.Errorf("a part of the content, %d bytes, was sent as the whole", len(body))
		}
		if err := storage.Delete(context.Background(), key); err != nil {
			t.Fatal(err)
		}
		ada.get(at).refuses(500, "internal").head("Etag", "").head("Content-Disposition", "").head("Cache-Control", "no-store").lacks(key)
		ada.delete(at).is(204)
		if text := logged.String(); strings.Count(text, "cannot be read from its storage") != 2 {
			t.Errorf("the log is %s", text)
		}
	})
}
