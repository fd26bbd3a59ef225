package django

import (
	"context"
	"errors"
	"os/exec"
	"testing"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without Django.
var ErrNotInstalled = errors.New("no Python with Django, Django REST Framework, django-filter and psycopg2 was found: " +
	"install them (Debian, Ubuntu: apt-get install python3-django python3-djangorestframework python3-django-filters python3-psycopg2; " +
	"elsewhere: python3 -m pip install django djangorestframework django-filter psycopg2-binary)")

// imports is the program that succeeds if the packages are installed.
const imports = "import django, django_filters, psycopg2, rest_framework"

// Python returns the path of a Python that has the packages: the first in PATH, such as that
// of a virtual environment, or else that of the system. Without one the test is skipped with the reason. Python is safe for concurrent
// use.
func Python(tb testing.TB) string {
	tb.Helper()
	path, err := find(tb.Context(), candidates()...)
	if err != nil {
		tb.Skip(err)
	}
	return path
}

func candidates() []string { return []string{"python3", "/usr/bin/python3"} }

func find(ctx context.Context, names ...string) (string, error) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil && exec.CommandContext(ctx, path, "-c", imports).Run() == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}
