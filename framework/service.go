package framework

import (
	"trestle.example/framework/internal/declare"
)

// A Service is a group of resources that belong together, such as those of a store.
// Register it like a single resource. The documentation and the first page show its
// resources under its name.
type Service struct {
	Name      string // "Store"
	Doc       string // one sentence for clients
	Resources []Resource
}

func (s Service) declare() []*declare.Declaration {
	var all []*declare.Declaration
	for _, r := range s.Resources {
		for _, d := range r.declare() {
			if d.Service == nil {
				d.Service = &declare.Service{Name: s.Name, Doc: s.Doc}
			}
			all = append(all, d)
		}
	}
	return all
}
