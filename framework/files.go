package framework

import (
	"context"
	"time"

	"trestle.example/framework/files"
	"trestle.example/framework/internal/attachment"
	"trestle.example/framework/internal/declare"
)

// A FileField declares a file that each row of a viewset may have. It is served below the path
// of the row, under the scope and the permissions of the viewset:
//
//	GET    {path}/{id}/{name}/   sends the content; needs the permission to view
//	PUT    {path}/{id}/{name}/   stores the content of the body; needs the permission to change
//	DELETE {path}/{id}/{name}/   deletes the file; needs the permission to change
//
// The body of PUT is the content itself, with its Content-Type, or multipart/form-data with
// exactly one part, "file". The content is streamed to the storage and never in memory as a
// whole. A row without a file, and a row outside the scope, are answered 404.
//
// GET honours Range with one range, If-None-Match, If-Modified-Since and If-Range. The answer is
// an attachment, see Inline; browsers do not guess its type and run nothing in it.
//
// A function that reads a row outside of a transaction and then stores it by [Save] stores the
// file that it read, unless the function received the row and did not change the file. The
// content of that file may be deleted by then: read the row in the transaction.
//
// The content of a file that is replaced or deleted, also with its row by the verb of [Deletes],
// is deleted after the commit. [API.SweepFiles] deletes what is left over by a crash, and by
// other deletions of rows.
type FileField[M any] struct {
	// Name is the last part of the path: "photo". Required.
	Name string
	// Field returns the address of the file in a row: func(p *Patient) *files.File { return
	// &p.Photo }. The field is a column of the model. Required.
	Field func(*M) *files.File
	// Storage stores the contents: a [files.Disk], or a storage of package s3. Required.
	Storage files.Storage
	// MaxBytes is the greatest length of a content in bytes. A longer one is answered 413. The
	// limit of other bodies does not apply. Required.
	MaxBytes int64
	// Types lists the allowed media types, such as "image/png". The type is detected from the
	// content; the header of the client is compared with it. A type includes its special forms:
	// "text/plain" includes text/html, which is then sent as text/plain, and
	// "application/octet-stream" includes every content. A type below text that cannot be
	// detected, such as text/markdown, is the client's Content-Type for a plain text. Another
	// content is answered 415. Required.
	Types []string
	// Inline lets browsers show images, sound, video and plain text in place, instead of as a
	// download. Other types, such as HTML, SVG and PDF, stay downloads. Defaults to false.
	Inline bool
	// SignFor makes the URLs that views show valid without credentials for this time, at most
	// 7 days: they have the parameters expires and signature. Any client that has such a URL can
	// read the file. It needs [Config].FileKeys. Guards of the path still apply. Defaults to 0:
	// the URLs need credentials.
	SignFor time.Duration
	// Doc describes the file to clients. Defaults to none.
	Doc string
}

func (f FileField[M]) declare() declare.FileField {
	d := declare.FileField{
		Name: f.Name, Doc: f.Doc, Storage: f.Storage, MaxBytes: f.MaxBytes, Types: f.Types, Inline: f.Inline, SignFor: f.SignFor,
	}
	if f.Field != nil {
		d.Field = func(m any) *files.File { return f.Field(m.(*M)) }
	}
	return d
}

// SweepFiles deletes the contents of files that no row names: those of uploads that a crash
// interrupted, and of rows that were deleted by other means than the verb of [Deletes]. It keeps
// contents that were stored within the last 24 hours, because a request may be about to name
// them. Soft-deleted rows keep their files. It reads the columns of files of all rows. It
// returns how many contents it deleted, also with an error. [API.Run] calls it every hour.
//
// Storages must not be shared by APIs with different databases: each API would delete the
// contents of the other. Call it after [API.Check] or [API.Handler]. It is safe for concurrent
// use, also by several processes.
func (a *API) SweepFiles(ctx context.Context) (deleted int, err error) {
	return attachment.NewSweeper(a.registry).Sweep(ctx)
}
