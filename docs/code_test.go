package docs_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/files"
	"trestle.example/framework/files/s3"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/page"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

// This file has the code of pages that print parts of programs, so that the compiler checks it. It is
// not run. TestCodeIsThatOfTheExample compares the pages with it.
var _ = []any{
	Staff{}, openByURL, openPool, mount, protect, beside, secondAPI, identify, useMiddleware, signed, startWithFiles, config, openS3,
	streamTotals, sendEvents, declareStreams, declareProvider, startWithProvider, runBesideDjango, framework.Where(ofTenant),
}

// The code of add-a-resource.md.

func ofTenant(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.tenant_id IN (SELECT tenant_id FROM memberships WHERE user_id = ?)", c.Caller.ID)
}

// The code of use-an-existing-database.md.

// Staff identifies the users of the other program by the header X-Api-Key.
type Staff struct{}

// Authenticate implements [framework.Authenticator].
func (Staff) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		return nil, nil // the request has no credentials of this kind
	}
	var id int64
	err := c.DB.NewSelect().Table("Staff").Column("StaffNo").Where("? = ?", bun.Ident("ApiKey"), key).Scan(c, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, framework.InvalidCredentials("The key is unknown.")
	}
	if err != nil {
		return nil, err
	}
	return &framework.Caller{ID: id, Scheme: "ApiKey"}, nil
}

// Challenge is the value of the header WWW-Authenticate of an answer 401.
func (Staff) Challenge() string { return `ApiKey realm="staff"` }

// CallerID is the type of the ids.
func (Staff) CallerID() reflect.Type { return reflect.TypeFor[int64]() }

func openByURL() (*sqldb.DB, error) {
	db, err := sqldb.Open("postgres://app:secret@db.example/shop", sqldb.Options{})
	return db, err
}

func openPool() (*sqldb.DB, error) {
	pool, err := sql.Open("pgx", "postgres://app:secret@db.example/shop?default_query_exec_mode=exec")
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Wrap(sqldb.PostgreSQL, pool, sqldb.Options{}) // of a *bun.DB, pass its field DB
	return db, err
}

// The code of put-handlers-beside.md.

// A router is the part of the router chi that the page needs.
type router interface {
	Handle(pattern string, handler http.Handler)
}

func mount(db *sqldb.DB, mux *http.ServeMux, router *echo.Echo, chiRouter router) error {
	api := framework.New(framework.Config{DB: db, Prefix: "/shop/v1"})
	handler, err := api.Handler()
	mux.Handle("/shop/v1/", handler)                    // net/http
	router.Any("/shop/v1/*", echo.WrapHandler(handler)) // echo
	chiRouter.Handle("/shop/v1/*", handler)             // chi
	return err
}

func changes(context.Context, *framework.Caller) iter.Seq[string] { return nil }

func protect(api *framework.API, mux *http.ServeMux) error {
	events, err := api.Protect(framework.Holds("orders.view"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := framework.CallOf(r.Context())
		w.Header().Set("Content-Type", "text/event-stream")
		for order := range changes(c, c.Caller) { // a function of the program
			fmt.Fprintf(w, "data: %s\n\n", order)
			w.(http.Flusher).Flush()
		}
	}))
	mux.Handle("GET /events", events)
	return err
}

func sendEvents(http.ResponseWriter, *http.Request) {}

func beside(api *framework.API, site *program.Site) (program.Beside, error) {
	events, err := api.Protect(framework.Holds("orders.view"), http.HandlerFunc(sendEvents))
	return program.Beside{Handlers: map[string]http.Handler{"GET /events": events}}, err
}

func secondAPI(_ *framework.API, site *program.Site) (program.Beside, error) {
	common := config(site)
	common.Prefix = "/v2"
	second := site.NewAPI(common)
	second.Register(site.Identity.ViewSet())
	handler, err := second.Handler()
	return program.Beside{Handlers: map[string]http.Handler{"/v2/": handler}, APIs: []*framework.API{second}}, err
}

func identify(api *framework.API, w http.ResponseWriter, r *http.Request) {
	c, err := api.Identify(r)
	if err != nil {
		api.WriteError(w, r, err)
		return
	}
	if c.Caller.Anonymous() {
		fmt.Fprintln(w, "Nobody is signed in.")
		return
	}
	fmt.Fprintln(w, "The caller is", c.Caller.IDText())
}

type Report struct{}

func useMiddleware(handler http.Handler, logging func(http.Handler) http.Handler, cache, limit framework.Middleware,
	load func(*framework.Call, framework.None) (framework.None, error),
) []any {
	server := &http.Server{Handler: logging(handler)}                               // everything
	reports := framework.ViewSet[Report]{Middleware: []framework.Middleware{cache}} // one resource
	loading := framework.OnCollection("POST", "import", load).Wrap(limit)           // one endpoint
	return []any{server, reports, loading}
}

// The code of store-files.md.

type Patient struct {
	bun.BaseModel `bun:"table:patients"`

	ID    uuid.UUID `bun:",pk"`
	Name  string
	Photo files.File
}

type PatientInput struct {
	Name string `json:"name" validate:"required,line,max=200"`
}

type PatientView struct {
	ID uuid.UUID `json:"id"`
	PatientInput
	Photo files.File `json:"photo"`
}

func Patients(storage files.Storage) framework.ViewSet[Patient] {
	return framework.ViewSet[Patient]{
		Name:  "patients",
		Verbs: framework.CRUD[PatientInput, PatientView](),
		Scope: framework.Public(),
		Files: []framework.FileField[Patient]{{
			Name:     "photo",
			Field:    func(p *Patient) *files.File { return &p.Photo },
			Storage:  storage,
			MaxBytes: 10 << 20, // 10 MiB
			Types:    []string{"image/png", "image/jpeg"},
			Inline:   true,
		}},
	}
}

var signed = framework.ViewSet[Patient]{
	Files: []framework.FileField[Patient]{{
		SignFor: 15 * time.Minute,
	}},
}

// startWithFiles is the function main of the page.
func startWithFiles() {
	storage, err := files.OpenDisk("data/files")
	if err != nil {
		log.Fatal(err)
	}
	program.Main(program.Program{
		Register: func(api *framework.API, site *program.Site) { register(api, site, storage) },
	})
}

func register(api *framework.API, site *program.Site, storage files.Storage) {
	api.Register(
		site.Identity.ViewSet(),
		Patients(storage),
	)
}

var fileKey = program.Setting[[]byte]{
	Name:   "file-key",
	Secret: true,
	Usage:  "secret `key` that signs the URLs of files, 64 hexadecimal digits",
	Read: func(text string) ([]byte, error) {
		key, err := hex.DecodeString(text)
		if err != nil || len(key) != 32 {
			return nil, errors.New("it must be 64 hexadecimal digits, as openssl rand -hex 32 prints them")
		}
		return key, nil
	},
}

func config(site *program.Site) framework.Config {
	common := program.DefaultConfig(site)
	common.FileKeys = [][]byte{fileKey.Of(site)}
	return common
}

func openS3(ctx context.Context, accessKey, secretKey string) (files.Storage, error) {
	storage, err := s3.Open(ctx, s3.Options{
		Endpoint: "https://s3.eu-central-1.amazonaws.com", Region: "eu-central-1", Bucket: "clinic",
		AccessKey: accessKey, SecretKey: secretKey,
	})
	return storage, err
}

// The code of stream-answers.md.

type OrderView struct{}

type Order struct{ Path, Revision string }

type Total struct {
	Day string
	Sum int64
}

type Event struct{}

func pathOf(o *Order) string { return o.Path }

func export(c *framework.Call, _ framework.None) (iter.Seq2[OrderView, error], error) {
	return framework.Each[OrderView](c, "orders", nil), nil
}

func streamTotals(rows *sql.Rows) (iter.Seq2[Total, error], error) {
	return func(yield func(Total, error) bool) {
		defer rows.Close()
		for rows.Next() {
			var t Total
			err := rows.Scan(&t.Day, &t.Sum)
			if !yield(t, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Total{}, err)
		}
	}, nil
}

var orders chan Event

func watch(c *framework.Call, _ framework.None) (iter.Seq2[Event, error], error) {
	return func(yield func(Event, error) bool) {
		for {
			select {
			case e := <-orders:
				if !yield(e, nil) {
					return
				}
			case <-c.Done():
				return
			}
		}
	}, nil
}

func invoice(c *framework.Call, o *Order, _ framework.None) (framework.Content, error) {
	file, err := os.Open(pathOf(o)) // a function of the program
	return framework.Content{Body: file, Name: "invoice.pdf", ETag: strconv.Quote(o.Revision)}, err
}

func declareStreams() framework.ViewSet[Order] {
	_ = []framework.CollectionAction{
		framework.OnCollection("GET", "events", watch).As(framework.EventStream),
	}
	return framework.ViewSet[Order]{
		Collection: []framework.CollectionAction{
			framework.OnCollection("GET", "export", export).As(framework.NDJSON, framework.CSV),
		},
		Actions: []framework.Action[Order]{framework.Get("invoice", invoice).As("application/pdf")},
	}
}

// The code of sign-in-by-identity-providers.md.

func declareProvider(db *sqldb.DB, identity *auth.Service, mux *http.ServeMux) error {
	signIn, err := oidc.New(identity, oidc.Options{Providers: []oidc.Provider{{
		Name:         "company",
		Issuer:       "https://id.example.org/realms/clinic",
		ClientID:     "clinic",
		ClientSecret: auth.NewSecret(os.Getenv("CLINIC_OIDC_SECRET")),
		Register:     true,
	}}})
	if err != nil {
		return err
	}

	api := framework.New(framework.Config{
		DB:             db,
		PublicURL:      "https://clinic.example",
		Authentication: identity.Authentication(),
		Codes:          append(identity.Codes(), oidc.Codes()...),
	})
	api.Register(identity.ViewSet())

	handler, err := signIn.Handler(api)
	mux.Handle("/api/auth/oidc/", handler) // beside mux.Handle("/api/", ...)
	return err
}

func providers(*program.Site) []oidc.Provider {
	return []oidc.Provider{{
		GroupsClaim: "groups",
		Grants: map[string]oidc.Grant{
			"clinic-doctors": {Groups: []string{"doctors"}},
			"clinic-office":  {Permissions: []string{"patients.view", "appointments.view"}},
		},
	}}
}

func startWithProvider() {
	program.Main(program.Program{
		Config: func(site *program.Site) framework.Config {
			config := program.DefaultConfig(site)
			config.Codes = append(config.Codes, oidc.Codes()...)
			return config
		},
		Beside: func(api *framework.API, site *program.Site) (program.Beside, error) {
			signIn, err := oidc.New(site.Identity, oidc.Options{Providers: providers(site), Log: site.Log})
			if err != nil {
				return program.Beside{}, err
			}
			handler, err := signIn.Handler(api)
			return program.Beside{
				Handlers: map[string]http.Handler{"/api/auth/oidc/": handler},
				Checks:   []httpserver.Check{{Name: "oidc", Degrades: true, Run: signIn.Ready}},
			}, err
		},
	})
}

// The code of run-beside-django.md.

type DjangoTokens struct{ framework.Authenticator }

func runBesideDjango(db *sqldb.DB) framework.Config {
	common := framework.Config{
		DB:             db,
		Authentication: []framework.Authenticator{DjangoTokens{}},
		Pagination:     page.Number{Size: 20},
		ErrorShape:     framework.DRFShape{},
	}
	return common
}
