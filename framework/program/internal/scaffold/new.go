package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/exit"
)

// NewNewCommand returns the command new.
func NewNewCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "new FOLDER [flags]",
		Short: "Write a new project: one resource, users, a migration, tests",
		Long: `New writes a project into a folder that does not exist or is empty. The name of
the folder is the name of the program. The project serves one resource, notes,
with sign-in, and has a migration, tests, a Makefile and a README. Its go.mod
requires the version of the framework that this program was built with.

New then runs "go mod tidy" there, which downloads the packages.`,
		Example: `  {program} new shop
  {program} new ../shop --module example.org/shop`,
		Args: takeFolder,
	}, func(cmd *cobra.Command, args []string) error {
		p, err := newProject(cmd, args[0])
		if err != nil {
			return err
		}
		return p.create(cmd, run)
	})
	c.Flags().String("module", "", "`path` of the project's module (default: the name and .example)")
	c.Flags().String("framework", "", "`folder` of a copy of the framework, which the project then uses")
	return c
}

func takeFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("name one folder for the project, such as shop")
	}
	return nil
}

// A project is what the templates of a project need.
type project struct {
	folder string // absolute

	Name, Title string // "my-shop", "My shop"
	Module      string
	Framework   string // the module path
	Version, Go string
	Copy        string // the folder of a copy of the framework; "" for a published version
}

var rightProject = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// newProject checks the call. Its errors have exit code 2.
func newProject(cmd *cobra.Command, folder string) (p project, err error) {
	if p.folder, err = filepath.Abs(folder); err != nil {
		return p, err
	}
	p.Name, p.Framework, p.Go = filepath.Base(p.folder), modulePath(), goVersion
	if !rightProject.MatchString(p.Name) {
		return p, exit.Misused("the name is %q; it must be lower-case letters, digits and hyphens, and begin with a letter, such as my-shop", p.Name)
	}
	p.Title = strings.ToUpper(p.Name[:1]) + strings.ReplaceAll(p.Name[1:], "-", " ")
	if p.Module, _ = cmd.Flags().GetString("module"); p.Module == "" {
		p.Module = p.Name + ".example"
	}
	if err := module.CheckPath(p.Module); err != nil {
		return p, exit.Misused("--module: %w; it is written as example.org/%s", err, p.Name)
	}
	if p.Module == p.Framework {
		return p, exit.Misused("--module: %s is the path of the framework; choose another", p.Module)
	}
	entries, err := os.ReadDir(p.folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return p, exit.Misused("%s: %w", folder, err)
	case len(entries) > 0:
		return p, exit.Misused("the folder %s is not empty; name a folder that does not exist or is empty", folder)
	}
	flag, _ := cmd.Flags().GetString("framework")
	p.Version, p.Copy, err = chooseFramework(flag, p.folder)
	return p, err
}

// chooseFramework returns the version of the framework, and the folder of its copy as the go.mod
// of a project in folder names it: "" for a published version.
func chooseFramework(flag, folder string) (version, from string, err error) {
	info, _ := debug.ReadBuildInfo()
	if version = published(info); version != "" && flag == "" {
		return version, "", nil
	}
	found, err := findCopy(flag)
	if err != nil {
		return "", "", err
	}
	if from, err = filepath.Rel(folder, found); err != nil {
		from = found // on another drive
	}
	return noVersion, modfile.AutoQuote(filepath.ToSlash(from)), nil
}

// files returns the files of the project.
func (p project) files() ([]file, error) {
	all, err := renderAll(p, [][2]string{
		{"go.mod", "go.mod"}, {".gitignore", "gitignore"}, {"Makefile", "Makefile"}, {"README.md", "README.md"},
		{"main.go", "main.go"}, {"resources.go", "resources.go"}, {"main_test.go", "main_test.go"}, {"migrations/migrations.go", "migrations.go"},
	}...)
	if err != nil {
		return nil, err
	}
	notes, err := newResource("note", []string{"title:string", "body:text?", "done:bool"}, source{Package: "main"})
	if err != nil {
		return nil, err
	}
	own, err := notes.files(1)
	return append(all, own...), err
}

// create writes the files, and runs go mod tidy.
func (p project) create(cmd *cobra.Command, run *command.Run) error {
	files, err := p.files()
	if err != nil {
		return err
	}
	if err := p.write(files); err != nil {
		return err
	}
	for _, f := range files {
		if err := run.Print(filepath.Join(cmd.Flags().Arg(0), filepath.FromSlash(f.name))); err != nil {
			return err
		}
	}
	tidy := exec.CommandContext(cmd.Context(), "go", "mod", "tidy")
	tidy.Dir = p.folder
	bar := run.StartBar("Downloading packages")
	output, err := tidy.CombinedOutput()
	bar.End()
	if err != nil {
		return fmt.Errorf("the project is written, but \"go mod tidy\" failed there; run it again before the first start: %w\n%s", err, output)
	}
	run.Sayf("Next:\n  cd %s\n  go test ./...\n  go run . serve --migrate", cmd.Flags().Arg(0))
	return nil
}

// write writes the files. If it fails, it leaves neither files nor a folder that it made.
func (p project) write(files []file) error {
	err := os.Mkdir(p.folder, 0o755)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return exit.Misused("%w; the folder above it must exist", err)
	}
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return err
	}
	err = errors.Join(writeAll(root, files), root.Close())
	if err != nil && made {
		err = errors.Join(err, os.Remove(p.folder))
	}
	return err
}
