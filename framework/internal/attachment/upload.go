package attachment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// An Upload answers PUT {path}/{id}/{name}/.
type Upload struct{ File *table.FileColumn }

// Serve answers one request. It reads the row before the body, so that a client without the row
// uploads nothing. It stores the content, then changes the row in a transaction, and deletes the
// old content after the commit. Without the row, the error is 404.
func (u Upload) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	if _, err := u.File.Resource.ModelOf(c, r); err != nil {
		return nil, err
	}
	lasting := lastingCall(c)
	file, err := u.store(lasting, r.HTTP)
	if err != nil {
		return nil, err
	}
	m, err := u.assign(lasting, r, file)
	if err != nil {
		return nil, err
	}
	u.File.Resource.Link(m.Elem())
	u.File.Resource.NoteReadModel(c, m.Elem())
	return &table.Response{Status: http.StatusOK, Value: u.File.Of(m.Elem())}, nil
}

// store stores the content of a request, and returns the File that names it. No row names it yet.
func (u Upload) store(c *call.Call, r *http.Request) (files.File, error) {
	body := newBody(r, state.Of(c).Writer)
	defer body.finish()
	part, err := body.open(u.File)
	if err != nil {
		return files.File{}, err
	}
	part.memory = u.File.Resource.API.Bodies.For(fair.ClientOf(c))
	defer part.memory.End()
	kind, err := identify(part, u.File.Types)
	if err != nil {
		return files.File{}, part.explain(err)
	}
	file := files.File{Key: files.NewKey(u.File.Prefix), Type: kind, UploadedAt: c.Now}
	if file.Name, err = part.fileName(u.File.Name, kind); err != nil {
		return files.File{}, err
	}
	hash := sha256.New()
	switch err := u.File.Storage.Put(c, file.Key, io.TeeReader(part, hash), kind); {
	case errors.Is(err, files.ErrBusy):
		return files.File{}, problem.Overloaded().Because(err)
	case err != nil:
		return files.File{}, part.explain(err)
	}
	file.Size, file.SHA256 = part.size, hex.EncodeToString(hash.Sum(nil))
	return file, nil
}

// assign names a stored content in the row, in a transaction, and returns the row. After the
// commit it deletes the content that the row named before. If the transaction has certainly
// failed, it deletes the new content. If the commit may have succeeded, it leaves both to the
// sweep.
func (u Upload) assign(c *call.Call, r *table.Request, file files.File) (reflect.Value, error) {
	var (
		m        reflect.Value
		old      files.File
		complete bool // the function of a run ended without an error, so its commit was tried
	)
	err := inTx(c, u.File.Resource.API, func(c *call.Call) (err error) {
		if m, err = u.File.Resource.ModelOf(c, r); err != nil {
			return err
		}
		old = u.File.Of(m.Elem())
		err = put(c, u.File, m, file)
		complete = complete || err == nil
		return err
	})
	switch {
	case err == nil:
		Discard(c, u.File, old)
	case !complete:
		Discard(c, u.File, file)
	}
	return m, err
}

// put stores a file in its column, with the time of the change.
func put(c *call.Call, f *table.FileColumn, m reflect.Value, file files.File) error {
	r := f.Resource
	f.Column.Value(m.Elem()).Set(reflect.ValueOf(file))
	columns := []*schema.Field{f.Column}
	if r.Updated != nil {
		r.Updated.Value(m.Elem()).Set(cell.Value(r.Updated, c.Now))
		columns = append(columns, r.Updated)
	}
	return store.Update(c, r, m.Elem(), columns)
}

// A Removal answers DELETE {path}/{id}/{name}/.
type Removal struct{ File *table.FileColumn }

// Serve answers one request. Without the row or its file, the error is 404.
func (d Removal) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	var old files.File
	err := c.InTx(func(c *call.Call) error {
		m, err := d.File.Resource.ModelOf(c, r)
		if err != nil {
			return err
		}
		if old = d.File.Of(m.Elem()); old.IsZero() {
			return problem.NotFound()
		}
		return put(c, d.File, m, files.File{})
	})
	if err != nil {
		return nil, err
	}
	Discard(c, d.File, old)
	return &table.Response{Status: http.StatusNoContent}, nil
}

// discardTime limits how long a request waits for the deletion of a content.
const discardTime = 10 * time.Second

// Discard deletes a content that no row names any more. It does so even if the client has left.
// If it fails, it logs a warning: the sweep will delete the content.
func Discard(c *call.Call, f *table.FileColumn, file files.File) {
	if file.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), discardTime)
	defer cancel()
	if err := f.Storage.Delete(ctx, file.Key); err != nil {
		f.Resource.API.Config.Log.WarnContext(ctx, "a file was not deleted from its storage; the sweep will try again",
			"id", c.ID.String(), "viewset", f.Resource.Path, "file", f.Name, "key", file.Key, "error", err.Error())
	}
}

// DiscardAll deletes the contents of a row that was deleted, given as its model.
func DiscardAll(c *call.Call, r *table.Resource, m reflect.Value) {
	for _, f := range r.Files {
		Discard(c, f, f.Of(m))
	}
}

// lastingCall returns the call without the deadline of the API, for a content that takes longer
// to arrive. It still ends when the client disconnects.
func lastingCall(c *call.Call) *call.Call {
	r := c.Request()
	if r == nil {
		return c
	}
	lasting := *c
	lasting.Context = merged{r.Context(), c.Context}
	return &lasting
}

// merged is a context with the values of another.
type merged struct {
	context.Context

	values context.Context
}

func (m merged) Value(key any) any { return m.values.Value(key) }

// inTx runs fn in a transaction that has as much time as a request.
func inTx(c *call.Call, a *table.Registry, fn func(*call.Call) error) error {
	ctx, cancel := context.WithTimeout(c.Context, a.Config.Timeout)
	defer cancel()
	timed := *c
	timed.Context = ctx
	return timed.InTx(fn)
}

// isLate reports whether a body did not arrive in time.
func isLate(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// invalid is the error of a body that is not one file: status 400.
func invalid(format string, args ...any) *problem.Error {
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidUpload, fmt.Sprintf(format, args...))
}
