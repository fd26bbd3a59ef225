// Package program is the command line of a project: it migrates and seeds the database,
// serves the API, keeps users, groups and tokens, makes backups, and checks settings and
// the database. A project's main function names its services:
//
//	func main() { program.Main(program.Program{ ... }) }
//
// The value of a setting comes from its flag, else from its environment variable, else from
// its default. Secret settings have no flag.
//
// Results go to standard output, everything else to standard error. The exit code is 0 for
// success, 1 for a failure such as a mistake in a declaration, 2 for a wrong call or
// setting, and 3 if the database needs an action first, such as a migration.
package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command that the process was called with, and ends the process with its
// exit code. SIGINT and SIGTERM stop the command; the second one ends the process.
func Main(p Program) {
	os.Exit(Run(untilSignal(), p, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that ends at the first SIGINT or SIGTERM. The second signal
// ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	requests := make(chan os.Signal, 1)
	signal.Notify(requests, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-requests
		signal.Stop(requests)
		end()
	}()
	return ctx
}
