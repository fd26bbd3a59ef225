package table

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/sqldb"
)

// A FileColumn is a declared file of the rows of a resource, with its column.
type FileColumn struct {
	declare.FileField

	Resource *Resource
	Column   *schema.Field
	Prefix   string // of the keys of its contents: the table and the column
}

// FileType is the type of the columns of files.
var FileType = reflect.TypeFor[files.File]()

// Place names the declaration in the text of a mistake.
func (f *FileColumn) Place() string { return fmt.Sprintf("file %q", f.Name) }

// Of returns the file of a row, given as its model.
func (f *FileColumn) Of(m reflect.Value) files.File {
	return f.Column.Value(m).Interface().(files.File) //nolint:forcetypeassert // package attachment compared the type
}

// Pattern is the canonical pattern of the file's path.
func (f *FileColumn) Pattern() string {
	return strings.TrimSuffix(f.Resource.ItemPath(), "/") + "/" + f.Name + f.Resource.Slash
}

// KeyColumns are the columns with the keys in the path of the file: that of the row and, in a nested
// viewset, the foreign key before it.
func (f *FileColumn) KeyColumns() []*schema.Field {
	if n := f.Resource.Above; n != nil {
		return []*schema.Field{n.Column, f.Resource.Key}
	}
	return []*schema.Field{f.Resource.Key}
}

// path is the path of the file of the row with these keys, below the prefix; "" if the row has no
// path.
func (f *FileColumn) path(keys []reflect.Value) string {
	last := len(keys) - 1
	var above []any
	for _, key := range keys[:last] {
		if key = reflect.Indirect(key); !key.IsValid() {
			return ""
		}
		above = append(above, key.Interface())
	}
	row := f.Resource.pathOf(above, keys[last])
	if row == "" {
		return ""
	}
	return strings.TrimSuffix(row, "/") + "/" + f.Name + f.Resource.Slash
}

// Linked returns a file with its URL, for the row with the keys of KeyColumns: absolute with a
// public URL, or else the path. With SignFor, the URL is signed.
func (f *FileColumn) Linked(file files.File, keys ...reflect.Value) files.File {
	if file.IsZero() {
		return file
	}
	at := f.path(keys)
	if at == "" {
		return file
	}
	a := f.Resource.API
	link := a.Origin.PublicURL + a.Config.Prefix + at
	if f.SignFor > 0 && a.signer != nil {
		link += "?" + a.signer.Sign(a.Config.Prefix+at, a.Config.Now().Add(f.SignFor)).Encode()
	}
	return file.At(link)
}

// Link sets the URLs of the files of a row, given as its model.
func (r *Resource) Link(m reflect.Value) {
	for _, f := range r.Files {
		v := f.Column.Value(m)
		var keys []reflect.Value
		for _, column := range f.KeyColumns() {
			keys = append(keys, column.Value(m))
		}
		v.Set(reflect.ValueOf(f.Linked(f.Of(m), keys...)))
	}
}

// FileOf finds the declared file of a column: that of prefer, if it is not nil and has one, or
// else that of the first resource with one. It returns nil without one.
func (a *Registry) FileOf(column *schema.Field, prefer *Resource) *FileColumn {
	for _, r := range append([]*Resource{prefer}, a.Resources...) {
		if r == nil {
			continue
		}
		for _, f := range r.Files {
			if f.Column == column {
				return f
			}
		}
	}
	return nil
}

// Unscoped reads the row that the path names, whatever the scope of the caller. It is for a
// request whose URL is signed.
func (r *Resource) Unscoped(c *call.Call, req *Request) (reflect.Value, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Key.Name), sqldb.Param(req.Key))
	if n := r.Above; n != nil {
		parent := n.Parent.Keys(c).Where("?TableAlias.? = ?", bun.Ident(n.Parent.Key.Name), sqldb.Param(req.Above[0]))
		q = q.Where("?TableAlias.? IN (?)", bun.Ident(n.Column.Name), parent)
	}
	return r.Read(c, q)
}

// CheckSigned checks the parameters of a signed URL for the row of a request. The error is 403.
func (f *FileColumn) CheckSigned(r *Request, sent url.Values) error {
	a := f.Resource.API
	var keys []reflect.Value
	for _, key := range append(slices.Clip(r.Above), r.Key) {
		keys = append(keys, reflect.ValueOf(key))
	}
	at := f.path(keys)
	if at != "" {
		at = a.Config.Prefix + at // so that no other API of the same keys accepts it
	}
	return a.signer.Check(at, sent, a.Config.Now())
}
