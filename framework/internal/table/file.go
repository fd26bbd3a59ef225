package table

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
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
	row := f.Resource.pathOf(key)
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
		link += "?" + a.signer.sign(at, a.Config.Now().Add(f.SignFor)).Encode()
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

// The parameters of a signed URL.
const (
	ParamExpires   = "expires"
	ParamSignature = "signature"
)

// A signer signs the URLs of files.
type signer struct{ keys [][]byte }

// LeastFileKey is the least length of a key in bytes.
const LeastFileKey = 32

// newSigner derives the keys for signatures from the keys of the API. Without keys it returns
// nil.
func newSigner(secrets [][]byte) *signer {
	s := &signer{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "trestle file url 1", sha256.Size)
		if err == nil { // in FIPS mode a short secret is an error, which package bind reports
			s.keys = append(s.keys, key)
		}
	}
	if len(s.keys) == 0 {
		return nil
	}
	return s
}

// sign returns the parameters of a path that is valid until a time.
func (s *signer) sign(path string, until time.Time) url.Values {
	expires := strconv.FormatInt(until.Unix(), 10)
	return url.Values{ParamExpires: {expires}, ParamSignature: {mac(s.keys[0], path, expires)}}
}

// mac is the signature of a path and a time, in base64.
func mac(key []byte, path, expires string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(path + "\n" + expires))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// CheckSigned checks the parameters of a signed URL for the row with a key. The error is 403. The
// comparison takes the same time for every signature.
func (f *FileColumn) CheckSigned(key any, sent url.Values) error {
	s, now := f.Resource.API.signer, f.Resource.API.Config.Now()
	at, expires := f.path(reflect.ValueOf(key)), sent.Get(ParamExpires)
	if s == nil || at == "" || len(sent[ParamExpires]) != 1 || len(sent[ParamSignature]) != 1 {
		return invalidSignature("The signature of the URL is not valid.")
	}
	valid := false
	for _, k := range s.keys {
		valid = hmac.Equal([]byte(mac(k, at, expires)), []byte(sent.Get(ParamSignature))) || valid
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	switch {
	case !valid || err != nil:
		return invalidSignature("The signature of the URL is not valid.")
	case now.Unix() >= until:
		return invalidSignature("The URL has expired.")
	}
	return nil
}

func invalidSignature(detail string) *problem.Error {
	return problem.Refuse(http.StatusForbidden, problem.CodeInvalidSignature, detail)
}
