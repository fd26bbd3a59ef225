package program

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"trestle.example/framework/program/internal/config"
)

// A Setting is a value of the project's own that operators set like the built-in ones: by a
// flag, else by a variable, else the default applies. It is declared once, and listed in
// [Program].Settings. A Secret setting has no flag. A command without the flags of settings,
// such as routes, reads only the variable and the default. The command config shows the
// setting. A wrong value ends each command that reads settings with exit code 2, after a
// sentence that says what is wrong.
type Setting[T any] struct {
	// Name is lower-case letters, digits and hyphens, and begins with a letter. In a program
	// with the name library, "loan-days" is the flag --loan-days and the variable
	// LIBRARY_LOAN_DAYS.
	Name string

	// Default is the value without a flag or a variable, as an operator would write it.
	// Without it the zero value of T applies.
	Default string

	// Usage describes the setting. Its `word` in backquotes names the value in the help.
	Usage string

	// Secret settings have no flag, because other users of the machine may see a flag.
	// Their values are never shown.
	Secret bool

	// Read reads a value that is not empty. Its error states the valid values: "it must be
	// ...". [Text], [Number], [Duration] and [Switch] are such functions. It must be safe
	// for concurrent use.
	Read func(value string) (T, error)
}

// An AnySetting is a [Setting] of any type.
type AnySetting interface {
	name() string
	declared() config.Setting
	mistake() error
}

// Of returns the value of the setting in a site. A site that no command made, as in a test,
// has the default, or the value of [Setting.Set]. Of panics if a command made the site and
// the setting is not in [Program].Settings, or if it reads a default that is not valid.
func (s Setting[T]) Of(site *Site) T {
	known, ok := site.values[s.Name]
	switch {
	case ok:
		value, _ := known.(T) // of an interface type it may be nil
		return value
	case site.listed:
		panic(fmt.Sprintf("program: the setting %s is not in Program.Settings", s.Name))
	}
	value, err := s.read(s.Default)
	if err != nil {
		panic(fmt.Sprintf("program: the default of the setting %s is %q: %v", s.Name, s.Default, err))
	}
	return value
}

// Set sets the value of the setting in a site of a test. It must not be called while
// another goroutine uses the site.
func (s Setting[T]) Set(site *Site, value T) {
	if site.values == nil {
		site.values = map[string]any{}
	}
	site.values[s.Name] = value
}

// read reads a value. It returns the zero value for an empty one, without a call of Read.
func (s Setting[T]) read(value string) (T, error) {
	if value == "" {
		var zero T
		return zero, nil
	}
	return s.Read(value)
}

// declared returns the setting in the form of the table of settings.
func (s Setting[T]) declared() config.Setting {
	d := config.Setting{
		Variable: "{PROGRAM}_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_")), Fallback: s.Default, Usage: s.Usage,
		Read: func(c *config.Config, v string) error {
			value, err := s.read(v)
			if err == nil {
				c.Own[s.Name] = value
			}
			return err
		},
	}
	if s.Default == "" {
		d.Shown = "none"
	}
	if !s.Secret {
		d.Flag, d.Example = s.Name, s.Default
	}
	return d
}

func (s Setting[T]) name() string { return s.Name }

// mistake returns the first mistake in the declaration, or nil.
func (s Setting[T]) mistake() error {
	switch {
	case !rightName.MatchString(s.Name):
		return errors.New("its name must be lower-case letters, digits and hyphens, and begin with a letter, such as loan-days")
	case s.Usage == "":
		return errors.New("it needs a Usage, which says what it means")
	case s.Read == nil:
		return errors.New("it needs a function Read, such as program.Text")
	}
	if _, err := s.read(s.Default); err != nil {
		return fmt.Errorf("its default is %q: %w", s.Default, err)
	}
	return nil
}

// Text reads any text.
func Text(value string) (string, error) { return value, nil }

// Number returns a function that reads a whole number from least to most.
func Number(least, most int) func(value string) (int, error) { return config.Number(least, most) }

// Duration returns a function that reads a time with its unit, such as 90s or 1h30m, from
// least to most.
func Duration(least, most time.Duration) func(value string) (time.Duration, error) {
	return config.Duration(least, most)
}

// Switch reads on or off, or a word of the same meaning: true, false, 1, 0, yes, no. It
// ignores case.
func Switch(value string) (bool, error) { return config.Switch(value) }
