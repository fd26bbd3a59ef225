// Django is a program that serves the tables of a Django project beside Django, on one
// PostgreSQL database, without a change to the tables. The project is in the folder site.
// Users sign in with their Django passwords, and a token of one program is valid at the
// other. Try it:
//
//	export DATABASE_URL=postgres://app:secret@localhost/clinic DJANGO_SECRET_KEY=...
//	python3 examples/django/site/manage.py migrate
//	python3 examples/django/site/manage.py createsuperuser
//	python3 examples/django/site/manage.py runserver 8000 &
//	go run ./examples/django --address localhost:8080
//	curl localhost:8080/auth/token/ -H 'Content-Type: application/json' -d '{"username": "...", "password": "..."}'
//	curl localhost:8080/api/patients/ -H 'Authorization: Token ...'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// djangoIterations is the number of PBKDF2 iterations of Django 3.2.
const djangoIterations = 260_000

func main() {
	address := flag.String("address", "localhost:8080", "`host:port` of the server")
	iterations := flag.Int("iterations", djangoIterations, "`number` of PBKDF2 iterations of the Django version that runs beside")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, os.Getenv("DATABASE_URL"), *iterations); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, so the deferred stop does not matter
	}
}

// run serves the API until ctx ends.
func run(ctx context.Context, address, database string, iterations int) error {
	db, err := sqldb.Open(database, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	handler, err := serve(ctx, db, iterations)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return httpserver.New(handler, httpserver.Options{}).Serve(ctx, listener)
}

// serve returns the two APIs of the program: the resources below /api, and the sign-in below
// /auth.
func serve(ctx context.Context, db *sqldb.DB, iterations int) (http.Handler, error) {
	tokens, err := signInTokens(iterations)
	if err != nil {
		return nil, err
	}
	common := framework.Config{
		DB:             db,
		Title:          "Clinic",
		Authentication: []framework.Authenticator{DjangoTokens{}},
		Pagination:     page.Number{Size: 20},
		ErrorShape:     framework.DRFShape{},
		Codes:          codes(),

		IdempotencyKeys: -1, // the database has no table for them
	}
	resources, err := mount(ctx, common, "/api", Patients, Doctors, Appointments)
	if err != nil {
		return nil, err
	}
	signIn, err := mount(ctx, common, "/auth", tokens)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", resources)
	mux.Handle("/auth/", signIn)
	return mux, nil
}

// mount returns an API below a prefix. It returns an error if the tables differ from the models.
func mount(ctx context.Context, c framework.Config, prefix string, resources ...framework.Resource) (http.Handler, error) {
	c.Prefix = prefix
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		return nil, err
	}
	return handler, compareTables(ctx, api)
}

// compareTables returns an error that names each table and column that the database lacks.
func compareTables(ctx context.Context, api *framework.API) error {
	missing, err := api.MissingColumns(ctx)
	for _, m := range missing {
		err = errors.Join(err, fmt.Errorf("%v; run the migrations of Django", m))
	}
	return err
}
