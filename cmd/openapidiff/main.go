// Command openapidiff lists the changes between two OpenAPI documents that break clients.
//
//	openapidiff [--json] OLD NEW
//
// OLD and NEW are files in JSON or YAML, as the command openapi of a program prints them. Each
// change is one line on standard output, or one object of a JSON array. The exit code is 0 if
// there is no such change, 1 if there is one, and 2 for a wrong call or a file that cannot be
// read.
//
// It is a module of its own, so that programs which use the framework do not require the
// packages that compare documents.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes.
const (
	same   = 0
	breaks = 1
	misuse = 2
)

// run compares the documents that the arguments name, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("openapidiff", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print a JSON array")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "openapidiff [--json] OLD NEW lists the changes that break clients; OLD and NEW are OpenAPI documents.")
	}
	if err := flags.Parse(args); err != nil {
		return misuse
	}
	if flags.NArg() != 2 {
		flags.Usage()
		return misuse
	}
	changes, err := compareFiles(flags.Arg(0), flags.Arg(1))
	if err == nil {
		err = write(stdout, changes, *asJSON)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "openapidiff:", err)
		return misuse
	case len(changes) > 0:
		return breaks
	}
	return same
}

func write(out io.Writer, changes []Change, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(changes)
	}
	for _, c := range changes {
		if _, err := fmt.Fprintln(out, c); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		_, err := fmt.Fprintln(out, "No change breaks clients.")
		return err
	}
	return nil
}
