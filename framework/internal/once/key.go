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
	"github.com/google/uuid"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

const idempotencyLength = 255 // characters of a key

// An IdempotencyKey is what a client calls one piece of work, so that it can
// ask for it again without having it done twice.
type IdempotencyKey struct {
	Caller      uuid.UUID
	Route       string // method and path, as declared: "POST /api/orders"
	Key         string
	Fingerprint []byte // of a request that can be read
	Most        int    // keys that a caller may have
	Hidden      func(c *call.Call) (bool, error)
}

// ReadKey reads a key that is bare, or quoted as a string of RFC 8941.
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

// unquoted is a string of RFC 8941 after its first quote; false if it does not
// end with the text.
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

// InvalidKey rejects the key of a request.
func InvalidKey(format string, args ...any) *problem.Error {
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidIdempotencyKey,
		"The header "+problem.IdempotencyHeader+" "+fmt.Sprintf(format, args...)+".")
}

// Fingerprint tells two requests to one route apart: SHA-256 of the row that
// the path names, the query string, and the body. The order of parameters and
// of an object's members and the white space between them do not count: a
// client that builds its request anew may write them otherwise. The body was
// read before: to put members in order costs as much as they are nested.
func Fingerprint(r *table.Request) []byte {
	body := jsontext.Value(bytes.Clone(r.Body))
	_ = body.Format(jsontext.ReorderRawObjects(true))
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", fmt.Sprint(r.Key), r.Query.Encode(), body))
	return sum[:]
}

// Once runs a function, unless it did so before under this key: the key is
// claimed and the answer stored in the transaction of what it does, so that
// all of it is there or nothing. A twin that comes meanwhile waits for the key.
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

// replay answers as before, unless the row has become another's since.
func (k *IdempotencyKey) replay(c *call.Call, before *answered) (*table.Response, error) {
	switch hidden, err := k.Hidden(c); {
	case err != nil:
		return nil, err
	case hidden:
		return nil, problem.NotFound()
	}
	return before.replay(c)
}

// Despite answers a request that is refused for itself as it was answered
// before, if it was: what is valid may have changed since, as with a time that
// has to lie in the future.
func (k *IdempotencyKey) Despite(c *call.Call, refusal error) (*table.Response, error) {
	before, err := k.find(c)
	switch {
	case err != nil:
		return nil, err
	case before == nil || !bytes.Equal(before.fingerprint, k.Fingerprint):
		return nil, refusal
	}
	return k.replay(c, before)
}

// KeysTable is the table of keys, which [Migrations] makes.
func KeysTable() query.NeededTable {
	return query.NeededTable{
		Name:    "idempotency_keys",
		Columns: []string{"caller", "route", "key", "fingerprint", "status", "body", "location", "created_at"},
	}
}

// claim makes the key this transaction's own, if nobody holds it or its time
// is over, and if the caller has not too many.
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

// ofKeys says where the table of keys comes from, when the fault may be that it is
// not there: the databases have words of their own for that.
func ofKeys(err error) error {
	if fault, ok := sqldb.Classify(err); ok && fault.Kind == sqldb.Other {
		return fmt.Errorf("the table idempotency_keys, which framework.Migrations() makes: %w", err)
	}
	return err
}

// inProgress refuses a twin that has waited long enough.
func inProgress() *problem.Error {
	e := problem.Conflict(problem.CodeIdempotencyInProgress,
		"The same request, with the same "+problem.IdempotencyHeader+", is still under way; try again shortly.")
	e.Header = map[string]string{problem.HeaderRetry: strconv.Itoa(inProgressWait)}
	return e
}

// tooManyKeys refuses a caller whose keys would fill the disk.
func tooManyKeys(most int) *problem.Error {
	const wait = "3600"
	e := problem.Refuse(http.StatusTooManyRequests, problem.CodeThrottled, fmt.Sprintf(
		"A caller has at most %d keys within %s; leave the header %s out, or wait.", most, limits.KeyLifeText, problem.IdempotencyHeader))
	e.Header = map[string]string{problem.HeaderRetry: wait}
	return e
}

// inProgressWait is how many seconds a twin is told to stay away: to wait is
// the server's part, and costs a connection.
const inProgressWait = 5

// store keeps the answer to what was done under the key. Of its headers only
// Location is kept: others may hold secrets, as cookies do.
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
		UPDATE idempotency_keys SET status = ?, body = ?, location = ?
		WHERE caller = ? AND route = ? AND key = ?`,
		sqldb.Param(resp.Status), sqldb.Param(body), c.Header().Get(problem.HeaderLocation), k.Caller, k.Route, k.Key))
	return err
}

// answered is what was answered under a key.
type answered struct {
	fingerprint, body []byte // body is deflated
	status            int
	location          string
}

// find reads what was answered under the key; nil if nothing was.
func (k *IdempotencyKey) find(c *call.Call) (*answered, error) {
	rows, err := c.Session().Query(c, c.DB.NewRaw(`
		SELECT fingerprint, status, body, location FROM idempotency_keys
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
	if err := rows.Scan(&a.fingerprint, &a.status, &a.body, &a.location); err != nil {
		return nil, err
	}
	return &a, rows.Err()
}

// replay is the same answer once more.
func (a *answered) replay(c *call.Call) (*table.Response, error) {
	c.Header().Set(problem.HeaderReplayed, "true")
	if a.location != "" {
		c.Header().Set(problem.HeaderLocation, a.location)
	}
	resp := &table.Response{Status: a.status}
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

// deflated is an answer as it is kept (RFC 1951); nil for none.
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
