package leakscan

import (
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/sqldb"
)

// Where something may be shown that may not be elsewhere.
var (
	staff  = []string{"/api/admin"}
	clinic = []string{"/api/patients", "/api/appointments", "/api/doctors", "/api/manage"}
	// camel are where every member is written in camel case.
	camel = []string{"/api/categories", "/api/products", "/api/cart", "/api/orders", "/api/admin", "/api/auth"}
	// reference is where all services are described.
	reference = []string{"/api/docs", "/api/openapi.json", "/api/openapi.yaml"}
)

// internal are members that answers do not have, and below which paths they may
// have them all the same.
var internal = map[string][]string{
	"stock": staff, "archived": staff, "published": staff, "currentStock": staff, "currentVersion": staff,
	"notes":    slices.Concat(staff, clinic),
	"password": nil, "passwordHash": nil, "password_hash": nil, "tokenHash": nil, "isStaff": nil, "isSuperuser": nil, "isActive": nil,
	"user": {"/api/auth"}, "userId": nil, "owner": nil, "ownerId": nil, "owner_id": nil, "actor": nil, "requestId": nil,
	"reason": nil, "slotId": nil, "categoryId": nil, "productId": nil, "orderId": nil, "cheapestVariantId": nil, "skuFolded": nil,
	"position": nil, "seenPricePaise": nil, "capacity": nil, "booked": nil, "search": nil,
}

var camelCase = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// describes reports whether the answers at a path name members without having them: the
// members of a body, or of another caller's answer.
func describes(method, path string) bool {
	return method == http.MethodOptions || isBelow(path, reference)
}

// badMember returns why answers at a path must not have a member, or "" if they may.
func badMember(name, path string) string {
	if below, listed := internal[name]; listed && !isBelow(path, below) {
		return "internal"
	}
	if isBelow(path, camel) && !camelCase.MatchString(name) {
		return "misspelt"
	}
	return ""
}

// isBelow reports whether a path is one of some, or below it. One that begins with * is the end of paths.
func isBelow(path string, some []string) bool {
	return slices.ContainsFunc(some, func(at string) bool {
		end, anywhere := strings.CutPrefix(at, "*")
		return path == at || strings.HasPrefix(path, at+"/") || anywhere && strings.HasSuffix(path, end)
	})
}

// A storage is the names by which data is kept, of those that no other word is
// like.
type storage struct {
	tables []string
	words  map[string]bool
}

var (
	aside    = regexp.MustCompile(`--.*|'[^']*'|\{\{[^}]*\}\}`) // what is no name in a migration
	compound = regexp.MustCompile(`\b[a-z]+(_[a-z0-9]+)+\b`)
	table    = regexp.MustCompile(`CREATE TABLE (\w+)`)
)

// storageOf are the names that migrations make.
func storageOf(sets []sqldb.Migrations) (storage, error) {
	all := storage{words: map[string]bool{
		"sqlite": true, "SQLite": true, "PostgreSQL": true, "SQLSTATE": true, "goroutine": true, // by which failures speak
	}}
	for _, set := range sets {
		files, err := fs.Glob(set.FS, "*.up.sql")
		if err != nil {
			return all, err
		}
		for _, file := range files {
			text, err := fs.ReadFile(set.FS, file)
			if err != nil {
				return all, err
			}
			for _, found := range table.FindAllSubmatch(text, -1) {
				all.tables = append(all.tables, string(found[1]))
			}
			for _, word := range compound.FindAll(aside.ReplaceAll(text, nil), -1) {
				all.words[string(word)] = true
			}
		}
	}
	return all, nil
}

// published are columns that the clinic's answers name as its document does.
var published = []string{"created_at", "updated_at", "starts_at"}

// names reports whether a word is a name of the storage that answers at a path
// do not show. PostgreSQL makes names of constraints of a table's.
func (s storage) names(word, path string) bool {
	if slices.Contains(published, word) && (isBelow(path, clinic) || isBelow(path, reference)) {
		return false
	}
	return s.words[word] || slices.ContainsFunc(s.tables, func(name string) bool {
		_, rest, found := strings.Cut(word, name+"_")
		return found && slices.ContainsFunc([]string{"pkey", "key", "fkey", "check", "idx"}, func(end string) bool { return strings.HasSuffix(rest, end) })
	})
}
