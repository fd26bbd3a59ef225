package bind

import (
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/versions"
)

// bindRows binds what all viewsets of a table have in common: the versions of the rows, and the history of their changes.
func (b *binder) bindRows() {
	b.bindVersions()
	b.bindHistories()
}

// bindVersions binds the versions of every viewset. All viewsets of a table count the changes of its
// rows in the column that one of them declares.
func (b *binder) bindVersions() {
	counting := map[string]*table.Resource{}
	b.api.Counting = map[string]string{}
	for _, r := range b.api.Resources {
		r.Version = versions.Bind(r, r.Declaration.Versions, b.at(r, "versions"))
		if r.Version == nil {
			continue
		}
		b.later(func() { versions.Check(r, b.answered, b.at(r, "versions")) })
		if r.Version.Column == nil {
			continue
		}
		first := counting[r.Table.Name]
		if first == nil {
			counting[r.Table.Name], b.api.Counting[r.Table.Name] = r, r.Version.Column.Name
		} else if first.Version.Column.Name != r.Version.Column.Name {
			b.fault(r.Path, "versions", naming.Sentence("%s counts the changes of these rows in %s; name the same column", first.Path, first.Version.Column.GoName))
		}
	}
}
