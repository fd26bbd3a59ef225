// Library is a whole program: users with tokens, a schema in migrations, books
// with their authors, loans that belong to whom borrows, and a server that
// stops when it is told to. Try it:
//
//	go run ./examples/library -user lib@library.example   # prints a token
//	go run ./examples/library
//	curl -H 'Authorization: Token ...' -H 'Content-Type: application/json' -d '{"name":"Italo Calvino"}' localhost:8080/api/authors/
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/sqldb"
)

func main() {
	database := flag.String("database", "sqlite://"+filepath.Join(os.TempDir(), "trestle-library.db"), "`URL` of the database")
	addr := flag.String("addr", "localhost:8080", "`host:port` to listen on")
	email := flag.String("user", "", "print a token for the user with this e-mail `address`, who is made if need be, and end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	if err := run(ctx, *database, *addr, *email); err != nil {
		log.Fatal(err) //nolint:gocritic // stop is for a process that goes on
	}
}

// run brings the schema up to date, then prints a token or serves.
func run(ctx context.Context, database, addr, email string) error {
	db, err := sqldb.Open(database, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx, nil, migrations()...); err != nil {
		return err
	}
	if email != "" {
		token, err := issue(ctx, db, email)
		if err == nil {
			_, err = os.Stdout.WriteString(token + "\n")
		}
		return err
	}
	handler, err := api(framework.Config{DB: db})
	if err != nil {
		return err
	}
	return serve(ctx, addr, handler, database)
}

// issue makes a token, and its user where there is none. Nobody knows the
// user's password: this program has tokens alone.
func issue(ctx context.Context, db *sqldb.DB, email string) (string, error) {
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		return "", err
	}
	user, err := users.FindUser(ctx, db.Session(), email)
	if errors.Is(err, auth.ErrNotFound) {
		user, err = users.CreateUser(ctx, db.Session(), auth.NewUser{Email: email, Password: rand.Text()})
	}
	if err != nil {
		return "", err
	}
	token, _, err := users.IssueToken(ctx, db.Session(), user, "command line", auth.DefaultTokenLife)
	return token.Reveal(), err
}

// serve answers requests until ctx ends, and lets those under way finish. /livez
// and /readyz are answered too, with a connection apart: requests may need all
// others.
func serve(ctx context.Context, addr string, handler http.Handler, database string) error {
	probe, err := sqldb.Open(database, sqldb.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer probe.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := httpserver.New(handler, httpserver.Options{
		Checks: []httpserver.Check{{Name: "database", Run: probe.PingContext}},
	})
	log.Printf("http://%s/api/", listener.Addr())
	return server.Serve(ctx, listener)
}
