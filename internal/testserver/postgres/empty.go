package postgres

import (
	_ "embed"
	"net/url"
	"sync"
)

// emptied are the databases of this process that later tests may have.
//
//nolint:gochecknoglobals // the tests of a process have nothing else in common that could hold it
var emptied names

// names are those of databases, by server.
type names struct {
	mu sync.Mutex
	of map[string][]string
}

// take removes a name and returns it, or "" for none.
func (n *names) take(server string) (name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if of := n.of[server]; len(of) > 0 {
		name, n.of[server] = of[len(of)-1], of[:len(of)-1]
	}
	return name
}

// keep adds a name.
func (n *names) keep(server, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[string][]string{}
	}
	n.of[server] = append(n.of[server], name)
}

//go:embed empty.sql
var emptySQL string

// empty ends the sessions of a database and leaves it as CREATE DATABASE makes it. It is an
// error on any server but a throw-away cluster, and if something stays that it does not know.
func empty(server *url.URL, name string) error { return execute(at(server, name), emptySQL) }
