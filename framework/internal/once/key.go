package once

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

const idempotencyLength = 255 // characters of a key

// An IdempotencyKey identifies one request of a client, so that the client can send it
// again and it still runs once.
type IdempotencyKey struct {
	Caller      string // its id as text
	Route       string // method and path, as declared: "POST /api/orders"
	Key         string
	Fingerprint []byte // of the request's content
	Most        int    // the limit of keys of one caller
	// Hidden reports whether the row of the path exists and the caller may not see it.
	Hidden func(c *call.Call) (bool, error)
	// Record records what the answer shows; nil if nothing is recorded. It runs in the transaction of the answer, because a repeated
	// request shows the stored answer also if the first one ends after the commit, without an answer.
	Record func(c *call.Call, resp *table.Response) error
}

// ReadKey reads a key that is bare, or quoted as a string of RFC 8941. The error is 400 if the
// quoted string is malformed, or if the key is not 1 to 255 characters of visible ASCII.
func ReadKey(text string) (string, error) {
	key := text
	if inner, quoted := strings.CutPrefix(text, `"`); quoted {
		var closed bool
		if key, closed = unquoted(inner); !closed {
			return "", InvalidKey(`begins with a quote; end it with one, and write \" and \\ for a quote and a backslash within`)
		}
	}
	switch {
	case key == "":
		return "", InvalidKey("is empty")
	case len(key) > idempotencyLength:
		return "", InvalidKey("has %d characters; a key has at most %d", len(key), idempotencyLength)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", InvalidKey("has a character that is not visible ASCII, such as a space")
	}
	return key, nil
}

// unquoted returns the value of a quoted string of RFC 8941, given without its first quote.
// It returns false if the closing quote is missing or is not the last character, or if a
// backslash is not before a quote or a backslash.
func unquoted(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '"':
			return b.String(), i == len(text)-1
		case ch != '\\':
			b.WriteByte(ch)
		case i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			return "", false
		}
	}
	return "", false
}

// InvalidKey returns the error 400 of a key that is not valid. The text continues "The header
// Idempotency-Key ...".
func InvalidKey(format string, args ...any) *problem.Error {
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidIdempotencyKey,
		"The header "+problem.IdempotencyHeader+" "+fmt.Sprintf(format, args...)+".")
}

// Fingerprint identifies the content of a request to a route. It is the SHA-256 of the keys in
// the path, the query string and the body. It does not depend on the order of parameters with
// different names, on the order of members, or on white space between JSON tokens: a client may
// change these when it sends the request again. The body must be valid JSON of limited depth,
// because sorting members takes time for each level.
func Fingerprint(r *table.Request) []byte {
	body := jsontext.Value(bytes.Clone(r.Body))
	_ = body.Format(jsontext.ReorderRawObjects(true))
	key := fmt.Sprint(r.Key)
	if len(r.Above) > 0 {
		key = fmt.Sprintf("%q %q", r.Above, key)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", key, r.Query.Encode(), body))
	return sum[:]
}

// Once runs a function, or answers as before if a request with this key has succeeded already. The
// function, the claim of the key and the stored answer share one transaction, so an error of
// the function stores nothing. A duplicate request that arrives in the meantime waits; if it
// waits longer than the lock timeout of PostgreSQL, the error is 409. If the key belongs to
// another request, the error is 422. If the caller has too many keys, it is 429. If the row of
// the path exists but the caller may no longer see it, a stored answer is not sent: the error
// is 404.
func (k *IdempotencyKey) Once(c *call.Call, run func(*call.Call) (*table.Response, error)) (*table.Response, error) {
	var resp *table.Response
	var before *answered
	err := c.InTx(func(c *call.Call) error {
		resp, before = nil, nil
		claimed, err := k.claim(c)
		switch {
		case err != nil:
			return err
		case !claimed:
			if before, err = k.find(c); err == nil && before == nil {
				err = tooManyKeys(k.Most)
			}
			return err
		}
		if resp, err = run(c); err != nil {
			return err
		}
		if k.Record != nil {
			if err := k.Record(c, resp); err != nil {
				return err
			}
			resp.Recorded = true
		}
		return k.store(c, resp)
	})
	switch {
	case err != nil:
		return nil, err
	case before == nil:
		return resp, nil
	case !bytes.Equal(before.fingerprint, k.Fingerprint):
		return nil, problem.Refuse(http.StatusUnprocessableEntity, problem.CodeIdempotencyKeyReused,
			"The header "+problem.IdempotencyHeader+" was sent before with another request; a new request needs a new key.")
	}
	return k.replay(c, before)
}

// replay answers as before. If the row of the path exists and the caller may no longer see it,
// the error is 404.
func (k *IdempotencyKey) replay(c *call.Call, before *answered) (*table.Response, error) {
	switch hidden, err := k.Hidden(c); {
	case err != nil:
		return nil, err
	case hidden:
		return nil, problem.NotFound()
	}
	return before.replay(c)
}

// Despite answers a request with an invalid body as before, if the same request with this key
// succeeded already: a body that was valid then may be invalid now, such as a time that must be
// in the future. If the key has no stored answer or belongs to another request, it returns the
// error of the body.
func (k *IdempotencyKey) Despite(c *call.Call, invalid error) (*table.Response, error) {
	before, err := k.find(c)
	switch {
	case err != nil:
		return nil, err
	case before == nil || !bytes.Equal(before.fingerprint, k.Fingerprint):
		return nil, invalid
	}
	return k.replay(c, before)
}

// KeysTable is the table of keys, which framework.Migrations creates.
func KeysTable() query.NeededTable {
	return query.NeededTable{
		Name:    "idempotency_keys",
		Columns: []string{"caller", "route", "key", "fingerprint", "status", "body", "location", "version", "created_at"},
	}
}

// claim stores the key in this transaction. It first waits for another transaction that claims the
// key. It returns false if the key is stored already and its lifetime is not over, or if the caller
// has too many keys. If PostgreSQL reports a lock timeout, the error is 409.
func (k *IdempotencyKey) claim(c *call.Call) (bool, error) {
	over, most := c.Now.Add(-limits.KeyLife), k.Most
	result, err := c.Session().Exec(c, c.DB.NewRaw(`
		INSERT INTO idempotency_keys AS k (caller, route, key, fingerprint, status, location, created_at)
		SELECT ?, ?, ?, ?, 0, '', ?
		WHERE (SELECT count(*) FROM (SELECT 1 FROM idempotency_keys WHERE caller = ? AND created_at > ? LIMIT ?) AS held) < ?
		ON CONFLICT (caller, route, key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, created_at = EXCLUDED.created_at
		WHERE k.created_at <= ?`, k.Caller, k.Route, k.Key, k.Fingerprint, c.Now, k.Caller, over, most, most, over))
	if fault, ok := sqldb.Classify(err); ok && fault.Kind == sqldb.Locked {
		return false, inProgress().Because(err)
	}
	if err != nil {
		return false, ofKeys(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// ofKeys adds a hint to an error of the database whose kind is not known: the table of keys,
// which framework.Migrations creates, may be missing. It returns other errors unchanged.
func ofKeys(err error) error {
	if fault, ok := sqldb.Classify(err); ok && fault.Kind == sqldb.Other {
		return fmt.Errorf("the table idempotency_keys, which framework.Migrations() makes: %w", err)
	}
	return err
}

// inProgress returns the error 409 of a duplicate request whose wait for the key timed out.
func inProgress() *problem.Error {
	e := problem.Conflict(problem.CodeIdempotencyInProgress,
		"The same request, with the same "+problem.IdempotencyHeader+", is still under way; try again shortly.")
	e.Header = map[string]string{problem.HeaderRetry: strconv.Itoa(inProgressWait)}
	return e
}

// tooManyKeys returns the error 429 of a caller that has reached the limit of keys.
func tooManyKeys(most int) *problem.Error {
	const wait = "3600"
	e := problem.Refuse(http.StatusTooManyRequests, problem.CodeThrottled, fmt.Sprintf(
		"A caller has at most %d keys within %s; leave the header %s out, or wait.", most, limits.KeyLifeText, problem.IdempotencyHeader))
	e.Header = map[string]string{problem.HeaderRetry: wait}
	return e
}

// inProgressWait is the Retry-After of a duplicate request, in seconds.
const inProgressWait = 5

// store stores the answer under the key, after it has set the header Location of the response. With
// the version of the row, the repeated answer has the same ETag. It stores no other header: others may
// contain secrets, as cookies do.
func (k *IdempotencyKey) store(c *call.Call, resp *table.Response) error {
	if err := resp.Encode(); err != nil {
		return err
	}
	body, err := deflated(resp.Body)
	if err != nil {
		return err
	}
	resp.Locate(c)
	_, err = c.Session().Exec(c, c.DB.NewRaw(`
		UPDATE idempotency_keys SET status = ?, body = ?, location = ?, version = ?
		WHERE caller = ? AND route = ? AND key = ?`,
		sqldb.Param(resp.Status), sqldb.Param(body), c.Header().Get(problem.HeaderLocation), sqldb.Param(resp.Version), k.Caller, k.Route, k.Key))
	return err
}

// answered is the stored answer of a key.
type answered struct {
	fingerprint, body []byte // body is deflated
	status            int
	location          string
	version           string // of the row in the body, "" without versions
}

// find reads the stored answer of the key. It returns nil if the key is not stored or its
// lifetime is over.
func (k *IdempotencyKey) find(c *call.Call) (*answered, error) {
	rows, err := c.Session().Query(c, c.DB.NewRaw(`
		SELECT fingerprint, status, body, location, version FROM idempotency_keys
		WHERE caller = ? AND route = ? AND key = ? AND created_at > ?`,
		k.Caller, k.Route, k.Key, c.Now.Add(-limits.KeyLife)))
	if err != nil {
		return nil, ofKeys(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	var a answered
	if err := rows.Scan(&a.fingerprint, &a.status, &a.body, &a.location, &a.version); err != nil {
		return nil, err
	}
	return &a, rows.Err()
}

// replay returns the stored answer as a response. It sets the header of a replayed answer, and
// Location if the answer had one.
func (a *answered) replay(c *call.Call) (*table.Response, error) {
	c.Header().Set(problem.HeaderReplayed, "true")
	if a.location != "" {
		c.Header().Set(problem.HeaderLocation, a.location)
	}
	resp := &table.Response{Status: a.status, Version: a.version}
	if a.body != nil {
		body, err := io.ReadAll(flate.NewReader(bytes.NewReader(a.body)))
		if err != nil {
			return nil, err
		}
		resp.Value, resp.Body = jsontext.Value(body), body
	}
	return resp, nil
}

// deflaters are reused: each has tables of half a megabyte.
var deflaters = sync.Pool{New: func() any { //nolint:gochecknoglobals // a pool is shared by its nature
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // this level exists
	return w
}}

// deflated compresses the body of an answer (RFC 1951); nil stays nil.
func deflated(body []byte) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var kept bytes.Buffer
	w := deflaters.Get().(*flate.Writer) //nolint:forcetypeassert // the pool holds no others
	defer deflaters.Put(w)
	w.Reset(&kept)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return kept.Bytes(), err
}
