package program

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"trestle.example/framework/program/internal/exit"
)

// goEnvironment is that of the go commands of a test. They may download what the module cache
// lacks: a new module needs more go.mod files than the one that it is tested in.
func goEnvironment(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{"GOSUMDB": "off", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"} {
		t.Setenv(name, value)
	}
}

// goCommand runs the go command in the working directory, and returns what it prints.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	if err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// TestANewProject writes a project with the commands, adds resources with a field of each type,
// and runs the project's tests on both databases.
func TestANewProject(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a project")
	}
	goEnvironment(t)
	folder := filepath.Join(t.TempDir(), "my-shop")
	code, said := run(t, library(), "new "+folder)
	if code != exit.OK || !strings.Contains(said, filepath.Join(folder, "notes.go")+"\n") || !strings.Contains(said, "go test ./...\n") {
		t.Fatalf("new ends with %d and says %s", code, said)
	}
	t.Chdir(folder)
	for _, words := range []string{
		"book title:string about:text? pages:int price:decimal sold:bool day:date at:time code:uuid note:ref:notes",
		"entry title:string? about:text pages:int? price:decimal? sold:bool? day:date? at:time? code:uuid? book2:ref:books? a_b:int line_2:string image_url:string",
		"stamp name:string",
	} {
		if code, said := run(t, library(), "generate resource "+words); code != exit.OK || !strings.Contains(said, "resources.go\nNext:") {
			t.Fatalf("generate resource %s ends with %d and says %s", words, code, said)
		}
	}
	if list := goCommand(t, "run", "-ldflags=-s", ".", "check"); !strings.HasPrefix(list, "ok: ") {
		t.Errorf("check prints %s", list)
	}
	output := goCommand(t, "test", "-vet=off", "-ldflags=-s", "-count=1", "-v", ".") // make install-test runs vet
	passed := regexp.MustCompile(`(?m)^    --- PASS: Test(Notes|Books|Entries|Stamps)(BelongToTheirOwner|AreChecked|AreFound)/(sqlite|postgres)`)
	if found := len(passed.FindAllString(output, -1)); found != 24 {
		t.Errorf("%d tests of the project passed; want 24:\n%s", found, output)
	}
	goCommand(t, "run", "-ldflags=-s", ".", "migrate", "up")
	if report := goCommand(t, "run", "-ldflags=-s", ".", "doctor"); strings.Contains(report, "fix:") {
		t.Errorf("doctor reports %s", report)
	}
}

// TestMistakesOfNew: each is a sentence, and leaves nothing.
func TestMistakesOfNew(t *testing.T) {
	goEnvironment(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(t.TempDir(), "full")
	if err := os.MkdirAll(filepath.Join(full, "mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct{ words, says string }{
		"no folder":                {"", "name one folder for the project, such as shop"},
		"two folders":              {"a b", "name one folder for the project, such as shop"},
		"a wrong name":             {"My_Shop", `the name is "My_Shop"; it must be lower-case letters, digits and hyphens`},
		"a digit first":            {"9lives", `the name is "9lives"`},
		"a folder with files":      {full, "is not empty; name a folder that does not exist or is empty"},
		"a folder below a missing": {"missing/shop --framework " + root, "the folder above it must exist"},
		"a wrong module":           {"shop --module example.org/my?shop", "--module: malformed module path"},
		"a module without a dot":   {"shop --module shop", "it is written as example.org/shop"},
		"no copy of the framework": {"shop", "this program was built from a copy of the framework, not from a published version"},
		"a wrong copy":             {"shop --framework .", `--framework is ".": this folder has no go.mod of `},
		"an unknown flag":          {"shop --modul x", "did you mean --module?"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := run(t, library(), "new "+c.words)
			if code != exit.Usage || !strings.Contains(said, c.says) {
				t.Errorf("it ends with %d and says %s; want %q", code, said, c.says)
			}
			if left, err := fs.ReadDir(os.DirFS("."), "."); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
		})
	}
}

// TestGenerateNeedsAProject: the command writes nothing elsewhere.
func TestGenerateNeedsAProject(t *testing.T) {
	t.Chdir(t.TempDir())
	for words, says := range map[string]string{
		"resorce book":               "did you mean resource?",
		"resource book title:string": "there is no go.mod here; run this in the folder of a project that the command new has written",
		"resource":                   "name the resource and its fields, such as: book title:string pages:int",
	} {
		if code, said := run(t, library(), "generate "+words); code != exit.Usage || !strings.Contains(said, says) {
			t.Errorf("%s ends with %d and says %s; want %q", words, code, said, says)
		}
	}
}

// TestNewRequiresTheGoOfTheFramework compares the go line with that of go.mod.
func TestNewRequiresTheGoOfTheFramework(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder may be on another drive")
	}
	goEnvironment(t)
	own, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "shop")
	if code, said := run(t, library(), "new "+folder+" --module example.org/shop"); code != exit.OK {
		t.Fatalf("it ends with %d and says %s", code, said)
	}
	made, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^go .*$`)
	if line.FindString(string(made)) != line.FindString(string(own)) || !strings.HasPrefix(string(made), "module example.org/shop\n") {
		t.Errorf("go.mod is\n%s", made)
	}
}
