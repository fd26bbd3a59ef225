package s3_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/files/s3"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// The variables of a server that the test runs as a process of its own.
const (
	databaseOf = "KILL_TEST_DATABASE"
	folderOf   = "KILL_TEST_FOLDER"   // of a storage on disk
	endpointOf = "KILL_TEST_ENDPOINT" // of a storage in S3
	laterOf    = "KILL_TEST_LATER"    // how far the clock of the server is ahead
)

// partlyRead is after how many bytes of a content the server reports that it is being stored. It
// is more than two parts of an upload to S3.
const partlyRead = 12 << 20

func TestMain(m *testing.M) {
	if os.Getenv(databaseOf) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, serveVideos(context.Background()))
	os.Exit(1)
}

// serveVideos sweeps, prints how many contents that deleted and the address, and serves until the
// process is killed.
func serveVideos(ctx context.Context) error {
	db, err := sqldb.Open(os.Getenv(databaseOf), sqldb.Options{})
	if err != nil {
		return err
	}
	storage, err := storageOfVariables(ctx)
	if err != nil {
		return err
	}
	later, err := time.ParseDuration(os.Getenv(laterOf))
	if err != nil {
		return err
	}
	api := framework.New(framework.Config{
		DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 10}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(later) },
	})
	api.Register(videos(reporting{storage}, 64<<20))
	handler, err := api.Handler()
	if err != nil {
		return err
	}
	swept, err := api.SweepFiles(ctx)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, swept, listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, handler)
}

// storageOfVariables opens the storage of the server.
func storageOfVariables(ctx context.Context) (files.Storage, error) {
	if folder := os.Getenv(folderOf); folder != "" {
		return files.OpenDisk(folder)
	}
	return s3.Open(ctx, bucketAt(os.Getenv(endpointOf)))
}

// videos are rows with one content.
func videos(storage files.Storage, most int64) framework.ViewSet[Video] {
	return framework.ViewSet[Video]{
		Name: "videos", Scope: framework.Public(),
		Verbs: framework.Verbs{Retrieve: framework.Shows[VideoView](), Delete: framework.Deletes()},
		Files: []framework.FileField[Video]{{
			Name: "content", Field: func(v *Video) *files.File { return &v.Content }, Storage: storage, MaxBytes: most, Types: []string{"application/octet-stream"},
		}},
	}
}

// A reporting storage prints a line when it has read a part of a large content.
type reporting struct{ files.Storage }

func (r reporting) Put(ctx context.Context, key string, body io.Reader, kind string) error {
	return r.Storage.Put(ctx, key, &reportingReader{Reader: body}, kind)
}

type reportingReader struct {
	io.Reader

	read int
}

func (r *reportingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.read < partlyRead && r.read+n >= partlyRead {
		_, _ = fmt.Fprintln(os.Stdout, "partly stored")
	}
	r.read += n
	return n, err
}

// A process is a server of videos.
type process struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner // what it prints
	swept  string         // how many contents its sweep deleted
	server string         // its URL
}

// start starts a server with some variables, and waits until it listens.
func start(t *testing.T, env ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.lines = bufio.NewScanner(out)
	if !p.lines.Scan() {
		t.Fatal("the server does not start")
	}
	var address string
	p.swept, address, _ = strings.Cut(p.lines.Text(), " ")
	p.server = "http://" + address
	return p
}

// kill ends the process at once: it can do nothing more.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// killWhileUploading begins to replace a content, and kills the server when a part of the new
// content is in the storage.
func (p *process) killWhileUploading(t *testing.T, at string) {
	t.Helper()
	body, client := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.server+at, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	answered := make(chan error, 1)
	go func() {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_ = answer.Body.Close()
		}
		answered <- err
	}()
	go func() { _, _ = client.Write(bytes.Repeat([]byte("0123456789abcdef"), partlyRead/8)) }() // the upload never ends
	if !p.lines.Scan() || p.lines.Text() != "partly stored" {
		t.Fatalf("the server prints %q", p.lines.Text())
	}
	p.kill()
	if err := <-answered; err == nil {
		t.Error("the upload that was cut is answered")
	}
}

// TestKillDuringAnUpload: SIGKILL in the middle of an upload leaves the row as it was, with its
// content. After a restart, the sweep of the next day deletes the part that was stored, and
// nothing else. The folder for temporary files is empty.
func TestKillDuringAnUpload(t *testing.T) {
	t.Run("disk", func(t *testing.T) {
		onBothURLs(t, func(t *testing.T, database string) { killDuringAnUpload(t, database, folderOf+"="+t.TempDir()) })
	})
	t.Run("s3", func(t *testing.T) {
		onBothURLs(t, func(t *testing.T, database string) {
			killDuringAnUpload(t, database, endpointOf+"="+gateway(t).Endpoint)
		})
	})
}

// onBothURLs runs a test with the URLs of empty databases.
func onBothURLs(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(t, "sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "test.db")))
	})
	t.Run("postgresql", func(t *testing.T) { test(t, frameworktest.PostgresURL(t)) })
}

func killDuringAnUpload(t *testing.T, database, storage string) {
	temporary := t.TempDir()
	env := []string{databaseOf + "=" + database, storage, "TMPDIR=" + temporary}
	db, err := sqldb.Open(database, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context(), nil, videoSchema); err != nil {
		t.Fatal(err)
	}
	id := uuid.New()
	if _, err := db.Exec("INSERT INTO videos (id) VALUES (?)", id); err != nil {
		t.Fatal(err)
	}
	at := "/api/videos/" + id.String() + "/content/"
	first := start(t, append(env, laterOf+"=0s")...)
	upload(t, first.server+at, "before")
	named := column(t, db)
	first.killWhileUploading(t, at)

	for _, later := range []struct{ by, swept string }{{"0s", "0"}, {"25h", "1"}, {"50h", "0"}} {
		again := start(t, append(env, laterOf+"="+later.by)...)
		if again.swept != later.swept {
			t.Errorf("after %s the sweep deletes %s contents; want %s", later.by, again.swept, later.swept)
		}
		if got := read(t, again.server+at); got != "before" {
			t.Errorf("after %s the content is %q", later.by, got)
		}
		again.kill()
	}
	if now := column(t, db); now != named {
		t.Errorf("the row has %s; want %s", now, named)
	}
	if left, err := os.ReadDir(temporary); len(left) > 0 || err != nil {
		t.Errorf("the folder for temporary files has %v, error %v", left, err)
	}
	nothingElseIn(t, storage, named)
}

// nothingElseIn expects a storage to have the content that a column names, and nothing of an
// upload.
func nothingElseIn(t *testing.T, variable, named string) {
	t.Helper()
	name, value, _ := strings.Cut(variable, "=")
	t.Setenv(name, value)
	s, err := storageOfVariables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for object, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, object.Key)
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return strings.Contains(named, key) })
	unfinished, err := s.DeleteUnfinished(t.Context(), time.Now().Add(time.Hour))
	if len(keys) > 0 || unfinished > 0 || err != nil {
		t.Errorf("the storage has %q besides, and %d unfinished contents, error %v", keys, unfinished, err)
	}
}

// column is the text of the only row's content.
func column(t *testing.T, db *sqldb.DB) (text string) {
	t.Helper()
	if err := db.QueryRow("SELECT content FROM videos").Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// upload stores a content.
func upload(t *testing.T, at, content string) {
	t.Helper()
	send(t, http.MethodPut, at, content)
}

// read returns a content.
func read(t *testing.T, at string) string {
	t.Helper()
	return send(t, http.MethodGet, at, "")
}

// send sends a request, expects 200, and returns the body of the answer.
func send(t *testing.T, method, at, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s is answered %d %s, error %v", method, answer.StatusCode, text, err)
	}
	return string(text)
}
