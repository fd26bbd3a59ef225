// Filter shows a filter backend of one's own: ?near=12.97,77.59 leaves the
// shops within a tenth of a degree of a point.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// Near filters by distance from a point, in degrees. Latitude and Longitude
// are the client's names of two number fields.
type Near struct {
	Param               string
	Latitude, Longitude string
	Degrees             float64
}

// Bind implements [framework.Filter]: names are resolved once.
func (n Near) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	latitude, err := f.Field(n.Latitude)
	if err != nil {
		return framework.BoundFilter{}, err
	}
	longitude, err := f.Field(n.Longitude)
	if err != nil {
		return framework.BoundFilter{}, err
	}
	return framework.BoundFilter{
		Params: []framework.Param{{Name: n.Param, Doc: "A point, latitude,longitude in degrees."}},
		Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
			at, err := point(v[n.Param])
			if err != nil {
				return nil, framework.InvalidParameter(n.Param, "must be a latitude and a longitude, such as 12.97,77.59")
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.
					Where("? BETWEEN ? AND ?", latitude.Ident(), sqldb.Param(at[0]-n.Degrees), sqldb.Param(at[0]+n.Degrees)).
					Where("? BETWEEN ? AND ?", longitude.Ident(), sqldb.Param(at[1]-n.Degrees), sqldb.Param(at[1]+n.Degrees))
			}, nil
		},
	}, nil
}

func point(text string) (at [2]float64, err error) {
	latitude, longitude, _ := strings.Cut(text, ",")
	if at[0], err = strconv.ParseFloat(latitude, 64); err != nil {
		return at, err
	}
	at[1], err = strconv.ParseFloat(longitude, 64)
	return at, err
}

// A Shop stands somewhere.
type Shop struct {
	bun.BaseModel `bun:"table:shops"`

	ID        uuid.UUID `bun:",pk"`
	Name      string
	Latitude  float64
	Longitude float64
}

// ShopInput is what clients write.
type ShopInput struct {
	Name      string  `json:"name"      validate:"required,line,max=200"`
	Latitude  float64 `json:"latitude"  validate:"min=-90,max=90"`
	Longitude float64 `json:"longitude" validate:"min=-180,max=180"`
}

// ShopView is what clients see.
type ShopView struct {
	ID uuid.UUID `json:"id"`
	ShopInput
}

// Shops serves /api/shops/ to anyone.
var Shops = framework.ViewSet[Shop]{
	Name:       "shops",
	Verbs:      framework.CRUD[ShopInput, ShopView](),
	Scope:      framework.Public(),
	Permission: framework.Anyone(),
	Filters:    []framework.Filter{Near{Param: "near", Latitude: "latitude", Longitude: "longitude", Degrees: 0.1}},
}

func main() {
	handler, err := serve(filepath.Join(os.TempDir(), "trestle-shops.db"))
	if err != nil {
		log.Fatal(err)
	}
	log.Println("http://localhost:8080/api/shops/?near=12.97,77.59")
	server := &http.Server{Addr: "localhost:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// serve opens the database and returns the API.
func serve(file string) (http.Handler, error) {
	db, err := sqldb.Open("sqlite://"+file, sqldb.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := db.NewCreateTable().Model((*Shop)(nil)).IfNotExists().Exec(context.Background()); err != nil {
		return nil, err
	}
	api := framework.New(framework.Config{DB: db, Pagination: page.Number{Size: 20}})
	api.Register(Shops)
	return api.Handler()
}
