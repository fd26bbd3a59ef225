package django

import (
	"context"
	"io"

	"trestle.example/internal/testserver/throwaway"
)

// Install makes sure that [Python] finds a Python with the packages. If there is none, it
// installs the packages of the distribution. It can do so as root on a system with apt-get; on
// others the error is [ErrNotInstalled], which states what to do by hand. The output of apt-get
// goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := find(ctx, candidates()...); return err },
		Missing: ErrNotInstalled,
		Failed:  "no Django is installed; install it by hand",
		Install: func(packages func(...string) error) error {
			return packages("python3-django", "python3-djangorestframework", "python3-django-filters", "python3-psycopg2")
		},
	}.Ensure(ctx, log)
}
