package scaffold

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
)

// goVersion is the version of Go that the framework needs, as its go.mod names it.
const goVersion = "1.26.0"

// noVersion is the version of a framework that is read from a copy.
const noVersion = "v0.0.0"

// modulePath returns the path of the framework's module.
func modulePath() string {
	return strings.TrimSuffix(reflect.TypeFor[framework.API]().PkgPath(), "/framework")
}

// published returns the version of the framework that a program was built with, or "" if the
// program was built from a copy of the framework.
func published(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath() && m.Replace == nil && m.Sum != "" {
			return m.Version
		}
	}
	return ""
}

// findCopy returns the folder of a copy of the framework: the folder of the flag, or else the
// working directory or the nearest folder above it that is one.
func findCopy(flag string) (string, error) {
	if flag != "" {
		if !isCopy(flag) {
			return "", exit.Misused("--framework is %q: this folder has no go.mod of %s", flag, modulePath())
		}
		return filepath.Abs(flag)
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; !isCopy(folder); folder = filepath.Dir(folder) {
		if folder == filepath.Dir(folder) {
			return "", exit.Misused("this program was built from a copy of the framework, not from a published version; name the folder of the copy, such as --framework ../trestle")
		}
	}
	return folder, nil
}

func isCopy(folder string) bool {
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && modfile.ModulePath(content) == modulePath()
}
