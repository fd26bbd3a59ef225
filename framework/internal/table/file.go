package table

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
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

// NewFileColumn finds the column of a declared file. It returns an error if the function does
// not return the address of a column.
func NewFileColumn(r *Resource, d declare.FileField) (*FileColumn, error) {
	model := reflect.New(r.Model)
	address := d.Field(model.Interface())
	for _, f := range r.Table.Fields {
		if f.StructField.Type == FileType && address == f.Value(model.Elem()).Addr().Interface() {
			return &FileColumn{d, r, f, keyPart(r.Table.Name) + "/" + keyPart(f.Name) + "/"}, nil
		}
	}
	return nil, naming.Sentence("Field must return the address of a column of %s of type files.File", r.Model.Name())
}

// keyPart writes the name of a table or a column as a part of a key. Characters that a key must
// not have are written as their code.
func keyPart(name string) string {
	var b strings.Builder
	for _, ch := range name {
		if ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' || ch == '_' {
			b.WriteRune(ch)
			continue
		}
		fmt.Fprintf(&b, "-%x-", ch)
	}
	return b.String()
}

// Place names the declaration in the text of a mistake.
func (f *FileColumn) Place() string { return fmt.Sprintf("file %q", f.Name) }

// Of returns the file of a row, given as its model.
func (f *FileColumn) Of(m reflect.Value) files.File {
	return f.Column.Value(m).Interface().(files.File) //nolint:forcetypeassert // NewFileColumn compared the type
}

// Pattern is the canonical pattern of the file's path.
func (f *FileColumn) Pattern() string {
	return strings.TrimSuffix(f.Resource.ItemPath(), "/") + "/" + f.Name + f.Resource.Slash
}

// path is the path of the file of the row with a key, below the prefix; "" if the row has no
// path.
func (f *FileColumn) path(key reflect.Value) string {
	row := f.Resource.pathOf(nil, key)
	if row == "" {
		return ""
	}
	return strings.TrimSuffix(row, "/") + "/" + f.Name + f.Resource.Slash
}

// Linked returns a file with its URL, for the row with a key: absolute with a public URL, or
// else the path. With SignFor, the URL is signed.
func (f *FileColumn) Linked(file files.File, key reflect.Value) files.File {
	if file.IsZero() {
		return file
	}
	at := f.path(key)
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
		v.Set(reflect.ValueOf(f.Linked(f.Of(m), r.Key.Value(m))))
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
	return r.read(c, c.DB.NewSelect().Model(NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Key.Name), sqldb.Param(req.Key)))
}

// CheckSigned checks the parameters of a signed URL for the row with a key. The error is 403.
func (f *FileColumn) CheckSigned(key any, sent url.Values) error {
	a := f.Resource.API
	at := f.path(reflect.ValueOf(key))
	if at != "" {
		at = a.Config.Prefix + at // so that no other API of the same keys accepts it
	}
	return a.signer.Check(at, sent, a.Config.Now())
}
