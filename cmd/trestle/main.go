// Command trestle runs the services of this module: it migrates and seeds the
// database, serves the API, and keeps users and tokens.
//
//	trestle serve --migrate --seed
//
// Run trestle --help for the commands and trestle serve --help for the
// settings; each is a flag, an environment variable, or a default, in that
// order.
//
// Results go to standard output, everything else to standard error. The exit
// code is 0 for success, 1 for a failure, 2 for a wrong call or setting, and 3
// when the database needs something done first, such as a migration.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"trestle.example/resources"
)

func main() {
	os.Exit(trestle().run(untilSignal(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// trestle is the program of this module: the services in package resources.
func trestle() Program {
	return Program{
		Migrations: resources.Migrations(),
		Identity:   resources.Identity,
		Config:     resources.Config,
		Register:   resources.Register,
		Demo:       demoData(),
	}
}

// untilSignal is a context that the first request to end ends. By then the
// second one has its usual effect, to end the process at once.
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
