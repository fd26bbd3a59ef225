package scaffold

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestTheVersionOfTheFramework(t *testing.T) {
	t.Parallel()
	ours, other := modulePath(), debug.Module{Path: "shop.example", Version: "(devel)"}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"without build information":  {nil, ""},
		"go run PATH@v0.1.0":         {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.1.0", Sum: "h1:x"}}, "v0.1.0"},
		"in a copy":                  {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "(devel)"}}, ""},
		"in a clone with a tag":      {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.1.0"}}, ""},
		"in a project":               {&debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: ours, Version: "v0.2.0", Sum: "h1:x"}}}, "v0.2.0"},
		"in a project with a copy":   {&debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: ours, Version: "v0.0.0", Replace: &debug.Module{Path: "../trestle"}}}}, ""},
		"in a project without it":    {&debug.BuildInfo{Main: other}, ""},
		"in a program that forks it": {&debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: ours + "/v2", Version: "v2.0.0", Sum: "h1:x"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := published(c.info); got != c.want {
				t.Errorf("the version is %q; want %q", got, c.want)
			}
		})
	}
}

// TestTheFolderOfACopyIsQuoted where it has a space.
func TestTheFolderOfACopyIsQuoted(t *testing.T) {
	t.Parallel()
	from := filepath.Join(t.TempDir(), "my copy")
	if err := os.Mkdir(from, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "go.mod"), []byte("module "+modulePath()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := project{folder: filepath.Join(filepath.Dir(from), "shop"), Name: "shop", Module: "shop.example", Framework: modulePath(), Go: goVersion}
	var err error
	if p.Version, p.Copy, err = chooseFramework(from, p.folder); err != nil {
		t.Fatal(err)
	}
	made, err := render("go.mod", "go.mod", p)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse("go.mod", made.content, nil)
	if err != nil || len(parsed.Replace) != 1 || parsed.Replace[0].New.Path != "../my copy" {
		t.Errorf("go.mod is\n%s%v", made.content, err)
	}
}
