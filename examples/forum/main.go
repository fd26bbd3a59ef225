// Forum is a program whose resources are relations: members with a profile, boards, threads by slug
// with tags and stars, posts below threads with votes. It has no function of its own: each endpoint
// is declared. Try it:
//
//	go run . serve --migrate
//	go run . user create --email ada@example.com
//	go run . token create --email ada@example.com
//	curl -X PUT -H 'Authorization: Token ...' -H 'Content-Type: application/json' \
//		-d '{"profile":{"username":"ada"}}' localhost:8080/api/profile/
package main

import (
	"embed"
	"net/http"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/page"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

//go:embed *.sql
var files embed.FS

func main() { program.Main(forum()) }

func forum() program.Program {
	return program.Program{Name: "forum", Migrations: migrations(), Config: config, Register: register}
}

// migrations are the tables of the framework, of the users and of the forum.
func migrations() []sqldb.Migrations {
	return []sqldb.Migrations{framework.Migrations(), auth.Migrations(), {Namespace: "forum", FS: files}}
}

// config lets all callers read and users write. Bodies that break a rule are answered 422.
func config(site *program.Site) framework.Config {
	return framework.Config{
		DB:             site.DB,
		Title:          "Forum",
		Authentication: []framework.Authenticator{auth.Token{}},
		Permission:     framework.OrReadOnly(framework.Authenticated()),
		Pagination:     page.Number{Size: site.PageSize},
		Statuses:       map[string]int{framework.CodeValidationFailed: http.StatusUnprocessableEntity},
		Codes: []framework.CodeInfo{
			{Code: "username_taken", Status: http.StatusConflict, Title: "Username taken", Text: "Another user has this name. Choose another one."},
		},
	}
}

func register(api *framework.API, _ *program.Site) {
	api.Register(Me, Members, Boards, Threads, Tags, Posts,
		entries("follows", (*Follow).user, 0), entries("stars", (*Star).user, stars), entries("votes", (*Vote).user, 0))
}
