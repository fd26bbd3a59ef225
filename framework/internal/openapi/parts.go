package openapi

import (
	"github.com/swaggest/openapi-go/openapi31"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/wire"
)

// itemSchema is the name of the extension that has the schema of an element of a stream. OpenAPI
// 3.2 has the keyword itemSchema; 3.1 has none.
const itemSchema = "x-itemSchema"

// parts adds the media types of an answer that is sent in parts. Their schema is a text: a
// generated client must not read the answer as one JSON value.
func (w *writer) parts(r *openapi31.Response, p *spec.Parts) {
	for _, media := range p.Media {
		if p.Element == nil {
			r.WithContentItem(media, openapi31.MediaType{Schema: bytesSchema()})
			continue
		}
		content := openapi31.MediaType{Schema: wire.JSONSchema{"type": "string"}}
		r.WithContentItem(media, *content.WithMapOfAnythingItem(itemSchema, w.schemas.out(p.Element)))
	}
}

// exports adds the media types in which a list sends all of its rows.
func (w *writer) exports(r *openapi31.Response, e *spec.Endpoint) {
	for _, media := range e.Exports {
		content := openapi31.MediaType{Schema: wire.JSONSchema{"type": "string"}}
		if media == string(stream.NDJSON) {
			content = *content.WithMapOfAnythingItem(itemSchema, w.schemas.out(e.Output))
		}
		r.WithContentItem(media, content)
	}
}

// bytesSchema is the schema of bytes, as generators of clients read it.
func bytesSchema() wire.JSONSchema { return wire.JSONSchema{"type": "string", "format": "binary"} }
