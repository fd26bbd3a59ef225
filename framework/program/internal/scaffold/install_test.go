//go:build install

package scaffold

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// version is the version that the test publishes.
const version = "v0.1.0"

// TestANewUserInstallsIt publishes this module in a module proxy of files. Then it does what a
// new user does, in an empty folder with an empty home and empty caches of modules, without a
// network: it writes a project by go run, runs the tests of the project, serves it, and sends
// requests. Only the cache of compiled packages is that of this machine, to save minutes.
func TestANewUserInstallsIt(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run("run", modulePath()+"/cmd/trestle@"+version, "new", "shop")
	u.folder = filepath.Join(u.folder, "shop")
	required := u.run("list", "-m", modulePath())
	if want := modulePath() + " " + version + "\n"; required != want {
		t.Errorf("the project requires %q; want %q", required, want)
	}
	u.run("test", "-ldflags=-s", "-run=/sqlite", "./...")
	u.run("run", "-ldflags=-s", ".", "generate", "resource", "book", "title:string", "note:ref:notes?")
	u.run("test", "-vet=off", "-ldflags=-s", "-run=Books.*/sqlite", "./...")
	u.run("build", "-ldflags=-s", "-o", "shop", ".")
	u.serveAndCall()
}

// TestGoGet adds the module to a project that exists.
func TestGoGet(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run("mod", "init", "other.example")
	u.run("get", modulePath()+"@"+version)
	u.run("get", modulePath()+"/framework@latest")
	if got := u.run("list", "-m", modulePath()); got != modulePath()+" "+version+"\n" {
		t.Errorf("go.mod requires %q", got)
	}
}

// A user is a new user: a folder, and an environment with empty caches.
type user struct {
	t      *testing.T
	folder string
	env    []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	proxy, home := publish(t), t.TempDir()
	goEnv := func(name string) string {
		output, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(output))
	}
	folder := filepath.Join(home, "projects")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	modules := filepath.ToSlash(filepath.Join(goEnv("GOMODCACHE"), "cache", "download"))
	return &user{t, folder, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GOPATH=" + filepath.Join(home, "go"), "GOMODCACHE=" + filepath.Join(home, "modules"),
		"GOCACHE=" + goEnv("GOCACHE"), "GOFLAGS=-modcacherw -trimpath", "GOTOOLCHAIN=local", "GOSUMDB=off",
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + modules + "," + goEnv("GOPROXY"),
	}}
}

// run runs the go command in the folder of the user, and returns what it writes to standard output.
func (u *user) run(args ...string) string {
	u.t.Helper()
	cmd := exec.CommandContext(u.t.Context(), "go", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = u.folder, u.env, &said
	output, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, output, &said)
	}
	return string(output)
}

// serveAndCall serves the project, waits until it is ready, and writes a note as a new user.
func (u *user) serveAndCall() {
	u.t.Helper()
	server := exec.CommandContext(u.t.Context(), filepath.Join(u.folder, "shop"), "serve", "--migrate", "--addr", "127.0.0.1:0")
	server.Dir, server.Env = u.folder, u.env
	var log bytes.Buffer
	server.Stderr = &log
	stdout, err := server.StdoutPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		u.t.Fatal(err)
	}
	base := ""
	for lines := bufio.NewScanner(stdout); base == "" && lines.Scan(); {
		base, _ = strings.CutSuffix(strings.TrimSpace(lines.Text()), "/api/")
		if !strings.HasPrefix(base, "http") {
			base = ""
		}
	}
	if base == "" {
		u.t.Fatalf("it does not serve: %s", &log)
	}
	u.call("GET", base+"/readyz", "", "", 200, nil)
	var answer struct{ Token string }
	u.call("POST", base+"/api/auth/register", "", `{"email": "ada@example.com", "password": "four unrelated words"}`, 201, &answer)
	var note struct{ ID string }
	u.call("POST", base+"/api/notes/", answer.Token, `{"title": "Buy milk", "done": false}`, 201, &note)
	u.call("POST", base+"/api/books/", answer.Token, fmt.Sprintf(`{"title": "Milk", "note": %q}`, note.ID), 201, nil)
	var list struct{ Count int }
	u.call("GET", base+"/api/books/?search=milk&note="+note.ID, answer.Token, "", 200, &list)
	if list.Count != 1 {
		u.t.Errorf("the list has %d books; want 1", list.Count)
	}
	u.call("GET", base+"/api/books/", "", "", 401, nil)
	if err := server.Process.Signal(os.Interrupt); err != nil {
		u.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stdout)
	if err := server.Wait(); err != nil {
		u.t.Errorf("it ends with %v: %s", err, &log)
	}
}

// call sends a request, checks the status of the answer, and reads its body into a value.
func (u *user) call(method, url, token, body string, status int, into any) {
	u.t.Helper()
	request, err := http.NewRequestWithContext(u.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Do(request)
	if err != nil {
		u.t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		u.t.Fatalf("%s %s: %d, %v: %s", method, url, answer.StatusCode, err, content)
	}
	if into != nil {
		if err := json.Unmarshal(content, into); err != nil {
			u.t.Fatal(err)
		}
	}
}

// publish writes this module as a version into a module proxy of files, and returns its folder.
func publish(t *testing.T) (proxy string) {
	t.Helper()
	root := filepath.Join("..", "..", "..", "..")
	proxy = t.TempDir()
	escaped, err := module.EscapePath(modulePath())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := zip.Create(&packed, module.Version{Path: modulePath(), Version: version}, sourceFiles(t, root)); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": []byte(`{"Version": "` + version + `", "Time": "2026-11-26T00:00:00Z"}`), version + ".mod": mod, version + ".zip": packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return proxy
}

// A diskFile is a file of the module.
type diskFile struct{ root, name string }

// Path is the path of the file in the module.
func (f diskFile) Path() string { return f.name }

// Lstat describes the file.
func (f diskFile) Lstat() (fs.FileInfo, error) { return os.Lstat(filepath.Join(f.root, f.name)) }

// Open opens the file.
func (f diskFile) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

// sourceFiles are the files that a tag of this repository has, without the modules below it.
func sourceFiles(t *testing.T, root string) (all []zip.File) {
	t.Helper()
	skipped := []string{".git", ".bin", "node_modules", "data", "dist"}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." {
			_, err := os.Stat(filepath.Join(root, name, "go.mod"))
			if err == nil || slices.Contains(skipped, path.Base(name)) {
				return fs.SkipDir
			}
		}
		if entry.Type().IsRegular() {
			all = append(all, diskFile{root, name})
		}
		return nil
	})
	if err != nil || len(all) < 500 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}
