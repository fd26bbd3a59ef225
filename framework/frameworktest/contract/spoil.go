package contract

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A spoiler changes a request in one place and returns a description. It returns "" if
// the request has no such place.
type spoiler func(m maker, d *draft) string

// spoilers are all spoilers; the likelier ones occur more than once.
var spoilers = [...]spoiler{
	maker.spoilValue, maker.spoilValue, maker.spoilValue, maker.spoilValue, maker.spoilValue, maker.spoilMembers, maker.spoilMembers, maker.spoilBody,
	maker.spoilQuery, maker.spoilQuery, maker.spoilQuery, maker.spoilPath, maker.spoilPath, maker.spoilMethod, maker.spoilMedia, maker.spoilHeader,
}

// spoil spoils a request and returns the description. It returns "" if ten tries find no place.
func (m maker) spoil(d *draft) string {
	for range 10 {
		if how := spoilers[m.dice.IntN(len(spoilers))](m, d); how != "" {
			return how
		}
	}
	return ""
}

// spoilValue replaces a value in the body.
func (m maker) spoilValue(d *draft) string {
	if d.content == nil {
		return ""
	}
	all := d.content.all()
	at := all[m.dice.IntN(len(all))]
	if m.chance(3) && at.kind == isRaw {
		*at = *raw(m.nearby(at))
	} else {
		*at = *raw(m.oddValue())
	}
	d.write()
	return "a value"
}

// spoilMembers removes, repeats or adds a member.
func (m maker) spoilMembers(d *draft) string {
	if d.content == nil || len(d.content.objects()) == 0 {
		return ""
	}
	o := oneOf(m, d.content.objects())
	if len(o.members) == 0 || m.chance(4) {
		name := oneOf(m, []string{"id", "owner", "is_staff", "created_at", "version", "stock", "", "__proto__", "a\u0000b", "é", "name ", m.letters(6)})
		o.members = append(o.members, &member{name, raw(m.oddValue())})
		d.write()
		return "a member too many"
	}
	at := m.dice.IntN(len(o.members))
	how := "a member too few"
	switch one := o.members[at]; m.dice.IntN(4) {
	case 0:
		o.members, how = append(o.members, &member{one.name, raw(m.oddValue())}), "a member twice"
	case 1:
		o.members[at], how = &member{strings.ToUpper(one.name), one.value}, "a name in another case"
	default:
		o.members = slices.Delete(o.members, at, at+1)
	}
	d.write()
	return how
}

// spoilBody replaces the body.
func (m maker) spoilBody(d *draft) string {
	if d.method == http.MethodGet {
		return ""
	}
	text := oneOf(m, m.odd.bodies)
	if d.sends && m.chance(3) {
		text = m.bend(string(d.body))
	}
	d.body, d.sends = []byte(text), true
	if d.header.Get("Content-Type") == "" {
		d.header.Set("Content-Type", "application/json")
	}
	return "a body"
}

// bend returns a changed body.
func (m maker) bend(body string) string {
	switch m.dice.IntN(7) {
	case 0:
		return body + "{}"
	case 1:
		return body + "x"
	case 2:
		return "\xef\xbb\xbf" + body
	case 3:
		return body[:m.dice.IntN(len(body)+1)]
	case 4:
		return strings.Repeat(" ", bodyLimit-len(body)) + body // the maximum length
	case 5:
		return strings.Repeat(" ", bodyLimit) + body
	}
	return "[" + body + "]"
}

// spoilQuery sends an odd query string or an odd value of a parameter.
func (m maker) spoilQuery(d *draft) string {
	var names []string
	for _, p := range d.operation.params {
		if p.in == "query" {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 || m.chance(6) {
		d.rawQuery = oneOf(m, m.odd.queries)
		return "a query"
	}
	name := oneOf(m, names)
	value := oneOf(m, m.odd.texts)
	if m.chance(3) {
		value = m.letters(m.dice.IntN(10))
	}
	d.query = append(slices.DeleteFunc(d.query, func(p pair) bool { return p.name == name && !m.chance(4) }), pair{name, value})
	return "a parameter"
}

// spoilPath replaces the last key in the path, or changes a path without a key. The row or
// the path usually does not exist.
func (m maker) spoilPath(d *draft) string {
	at := -1
	for i, segment := range d.operation.segments {
		if isPlace(segment) {
			at = i
		}
	}
	if at < 0 {
		d.path = oneOf(m, []string{d.path + "x", d.path + "/x/y/z", strings.TrimSuffix(d.path, "/"), d.path + "/", strings.ToUpper(d.path)})
		return "a path"
	}
	parts := strings.Split(d.path, "/")
	parts[at+1] = url.PathEscape(oneOf(m, append(slices.Clip(m.odd.texts), m.uuid(), m.uuid(), m.uuid())))
	if m.chance(8) {
		parts[at+1] = oneOf(m, []string{"%2F", "%2e%2e", "%00", "%ff", "%C3%A9", "..%2f..", "a%20b"})
	}
	d.path = strings.Join(parts, "/")
	return "a row"
}

// spoilMethod uses another method.
func (m maker) spoilMethod(d *draft) string {
	d.method = oneOf(m, append([]string{"BREW", "PROPFIND", "get"}, methods...))
	return "a method"
}

// spoilMedia declares another media type or encoding.
func (m maker) spoilMedia(d *draft) string {
	if !d.sends {
		return ""
	}
	switch m.dice.IntN(4) {
	case 0:
		d.header.Set("Content-Encoding", "gzip")
		if m.chance(2) {
			d.body = zip(d.body)
		}
	case 1:
		d.header.Set("Content-Encoding", oneOf(m, []string{"br", "deflate", "identity", "gzip, gzip", "x"}))
	default:
		d.header.Del("Content-Type")
		if media := oneOf(m, m.odd.media); media != "" {
			d.header.Set("Content-Type", media)
		}
	}
	return "a media type"
}

func zip(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer never fails
	_ = z.Close()
	return b.Bytes()
}

// spoilHeader breaks a header.
func (m maker) spoilHeader(d *draft) string {
	name := oneOf(m, []string{
		"Idempotency-Key", "Idempotency-Key", "Authorization", "Authorization", "Cookie", "X-CSRFToken", "Accept", "Origin", "X-HTTP-Method-Override",
		"If-Match", "Range", "X-Request-Id",
	})
	d.header.Set(name, oneOf(m, m.odd.headers))
	return "the header " + name
}
