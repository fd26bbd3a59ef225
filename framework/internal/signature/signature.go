// Package signature signs paths for a time, so that a URL needs no credentials until then.
package signature

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"trestle.example/framework/problem"
)

// The parameters of a signed URL.
const (
	ParamExpires   = "expires"
	ParamSignature = "signature"
)

// LeastKey is the least length of a key in bytes.
const LeastKey = 32

// A Signer signs paths with its first key, and accepts signatures of all its keys. It is safe
// for concurrent use. A nil Signer accepts none.
type Signer struct{ keys [][]byte }

// NewSigner derives the keys for signatures from secrets. Without secrets it returns nil.
func NewSigner(secrets [][]byte) *Signer {
	s := &Signer{}
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

// Sign returns the parameters of a path that is valid until a time.
func (s *Signer) Sign(path string, until time.Time) url.Values {
	expires := strconv.FormatInt(until.Unix(), 10)
	return url.Values{ParamExpires: {expires}, ParamSignature: {mac(s.keys[0], path, expires)}}
}

// mac is the signature of a path and a time, in base64.
func mac(key []byte, path, expires string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(path + "\n" + expires))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Check returns the error 403 unless the parameters that were sent are those of a path, and the
// time is not over. An empty path has no signature. The comparison takes the same time for
// every signature.
func (s *Signer) Check(path string, sent url.Values, now time.Time) error {
	expires := sent.Get(ParamExpires)
	if s == nil || path == "" || len(sent[ParamExpires]) != 1 || len(sent[ParamSignature]) != 1 {
		return invalid("The signature of the URL is not valid.")
	}
	valid := false
	for _, k := range s.keys {
		valid = hmac.Equal([]byte(mac(k, path, expires)), []byte(sent.Get(ParamSignature))) || valid
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	switch {
	case !valid || err != nil:
		return invalid("The signature of the URL is not valid.")
	case now.Unix() >= until:
		return invalid("The URL has expired.")
	}
	return nil
}

func invalid(detail string) *problem.Error {
	return problem.Refuse(http.StatusForbidden, problem.CodeInvalidSignature, detail)
}
