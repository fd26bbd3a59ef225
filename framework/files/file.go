package files

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// A File describes one stored content. It is a column of a model:
//
//	Photo files.File `bun:",type:jsonb"`
//
// The column holds JSON text or NULL: TEXT on SQLite, JSONB or TEXT on PostgreSQL. The zero
// File is NULL, which means that the row has no file. A view shows a field of this type by its
// name, type, size and URL, or as null. Clients never see the key.
//
// A File belongs to one column of one row: when the file is replaced, or the row is deleted,
// the content is deleted too. To copy a file to another row, store its content again.
type File struct { //nolint:recvcheck // only Scan changes the File itself
	// Key finds the content in its storage. It is made by [NewKey], never by a client.
	Key string
	// Name is the name that the client gave, without a folder. It is text to show, and never a
	// path of the server.
	Name string
	// Type is the media type of the content, such as "image/png", as its bytes show it.
	Type string
	// Size is the length of the content in bytes.
	Size int64
	// SHA256 is the SHA-256 of the content in lower-case hexadecimal.
	SHA256 string
	// UploadedAt is the time of the upload in UTC.
	UploadedAt time.Time

	url string
}

// stored is a File as its column holds it.
type stored struct {
	Key        string    `json:"key"`
	Name       string    `json:"name"`
	Type       string    `json:"type"`
	Size       int64     `json:"size"`
	SHA256     string    `json:"sha256"`
	UploadedAt time.Time `json:"uploaded_at"`
}

// shown is a File as clients see it.
type shown struct {
	Name string  `json:"name"`
	Type string  `json:"type"`
	Size int64   `json:"size"`
	URL  *string `json:"url"`
}

// IsZero reports whether there is no file.
func (f File) IsZero() bool { return f.Key == "" }

// At returns the file with the URL at which clients read it. The framework calls it for each
// row that it shows.
func (f File) At(url string) File { f.url = url; return f }

// URL returns the URL at which clients read the file, or "" if [File.At] did not set it.
func (f File) URL() string { return f.url }

// Value implements [driver.Valuer].
func (f File) Value() (driver.Value, error) {
	if f.IsZero() {
		return nil, nil
	}
	text, err := json.Marshal(stored{f.Key, f.Name, f.Type, f.Size, f.SHA256, f.UploadedAt.UTC()})
	return string(text), err
}

// Scan implements [sql.Scanner]. NULL is the zero File. JSON without a key is an error.
func (f *File) Scan(src any) error {
	*f = File{}
	var text []byte
	switch src := src.(type) {
	case nil:
		return nil
	case string:
		text = []byte(src)
	case []byte:
		text = src
	default:
		return fmt.Errorf("files: a File is stored as JSON text, not as %T", src)
	}
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("files: the column of a File is not valid: %w", err)
	}
	if s.Key == "" {
		return fmt.Errorf("files: the column of a File has no key")
	}
	*f = File{Key: s.Key, Name: s.Name, Type: s.Type, Size: s.Size, SHA256: s.SHA256, UploadedAt: s.UploadedAt.UTC()}
	return nil
}

// MarshalJSON writes the file as clients see it: name, type, size and url, or null for no file.
// The url is null if [File.At] did not set it.
func (f File) MarshalJSON() ([]byte, error) {
	if f.IsZero() {
		return []byte("null"), nil
	}
	one := shown{f.Name, f.Type, f.Size, nil}
	if f.url != "" {
		one.URL = &f.url
	}
	return json.Marshal(one)
}

// JSONSchemaBytes returns the JSON Schema of MarshalJSON, for the OpenAPI document.
func (File) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{
		"type": ["object", "null"],
		"description": "A file, or null if there is none.",
		"properties": {
			"name": {"type": "string", "description": "The name that the client gave."},
			"type": {"type": "string", "description": "The media type of the content."},
			"size": {"type": "integer", "format": "int64", "minimum": 0, "description": "The length of the content in bytes."},
			"url": {"type": ["string", "null"], "description": "The URL of the content."}
		},
		"required": ["name", "type", "size", "url"]
	}`), nil
}
