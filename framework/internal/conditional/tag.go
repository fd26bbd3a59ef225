package conditional

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/problem"
)

// The headers of conditional requests, and of their answers.
const (
	HeaderIfMatch           = "If-Match"
	HeaderIfNoneMatch       = "If-None-Match"
	HeaderIfUnmodifiedSince = "If-Unmodified-Since"
	HeaderETag              = "ETag"
)

// Tag is the ETag of an answer: the version of its row, if it is about one row, and a hash of its
// body. The hash is there because a view also shows other rows, and may differ from caller to caller.
func Tag(version string, body []byte) string {
	sum := sha256.New()
	sum.Write(body)
	if version != "" {
		version += "."
	}
	return `"` + version + short(sum) + `"`
}

// A Match is the header If-Match of a request.
type Match struct {
	Any       bool     // it is *: the row must exist
	tags      []string // without quotes and the mark of weak ones
	malformed bool
}

// ReadMatch reads the values of the header If-Match. It returns nil without one.
func ReadMatch(values []string) *Match {
	if len(values) == 0 {
		return nil
	}
	tags, anything, ok := read(values)
	return &Match{anything, tags, !ok}
}

// Check returns the error 412 if the row has another version than those of the header. It
// compares the first part of each tag alone, whether the tag is weak or not (RFC 9110 requires the
// strong comparison): a proxy that compresses an answer makes its tag weak. A nil Match accepts
// every version.
func (m *Match) Check(version string) error {
	if m == nil || m.Any || slices.ContainsFunc(m.tags, func(tag string) bool { return versionOf(tag) == version }) {
		return nil
	}
	return m.changed()
}

// CheckWhole returns the error 412 unless the header has the tag of an answer with the row, with the
// hash of its body, or the version of the row alone.
func (m *Match) CheckWhole(version, tag string) error {
	if m == nil || m.Any || slices.Contains(m.tags, version) || tag != "" && slices.Contains(m.tags, strings.Trim(tag, `"`)) {
		return nil
	}
	if slices.ContainsFunc(m.tags, func(tag string) bool { return versionOf(tag) == version }) {
		return failed("The record has the version that If-Match names, but its answer has another ETag: rows of its lists have changed, or the request" +
			" chose members by a parameter. Nothing was changed, because the body sets a list; read the record again, without such parameters.")
	}
	return m.changed()
}

// NamesVersion reports whether the request has the header with another value than *.
func (m *Match) NamesVersion() bool { return m != nil && !m.Any }

// versionOf is the part of a tag before the dot.
func versionOf(tag string) string {
	version, _, _ := strings.Cut(tag, ".")
	return version
}

func (m *Match) changed() error {
	detail := "The record has changed since the version that If-Match names. Nothing was changed; read it again, and decide what to do with the change."
	if m.malformed {
		detail = "If-Match is an ETag with its quotes, as a read answers it, a list of such tags, or *. Nothing was changed."
	}
	return failed(detail)
}

func failed(detail string) error {
	return problem.Refuse(http.StatusPreconditionFailed, problem.CodePreconditionFailed, detail)
}

// Missing is the error 412 of a request with If-Match for a row that does not exist, if the request
// would create it without the header.
func Missing() error {
	return problem.Refuse(http.StatusPreconditionFailed, problem.CodePreconditionFailed,
		"If-Match needs a record that exists, and there is none. Nothing was changed; send the request without the header to create it.")
}

// Required is the error 428 of a write without If-Match, if the viewset requires the header.
func Required() error {
	return problem.Refuse(http.StatusPreconditionRequired, problem.CodePreconditionRequired,
		"Send If-Match with the ETag of the record as you read it, so that you do not overwrite a change of another user. Nothing was changed.")
}

// Unchanged reports whether the client has the answer with a tag already: the header If-None-Match
// of the request names the tag, or is *. It compares whole tags, and ignores whether they are weak.
func Unchanged(values []string, tag string) bool {
	tags, anything, ok := read(values)
	return ok && (anything || slices.Contains(tags, strings.Trim(tag, `"`)))
}

// read reads a list of entity tags, without their quotes and the mark of weak ones, or *. It returns
// false if the list is malformed; the tags before the fault count.
func read(values []string) (tags []string, anything, ok bool) {
	rest := strings.Join(values, ",")
	if strings.TrimSpace(rest) == "*" {
		return nil, true, true
	}
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			return tags, false, len(tags) > 0
		}
		rest = strings.TrimPrefix(rest, "W/")
		inner, quoted := strings.CutPrefix(rest, `"`)
		tag, after, closed := strings.Cut(inner, `"`)
		if !quoted || !closed {
			return tags, false, false
		}
		if rest = strings.TrimLeft(after, " \t"); rest != "" && rest[0] != ',' {
			return tags, false, false
		}
		tags = append(tags, tag)
	}
}
