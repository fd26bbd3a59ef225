package resources_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// A canary has the secrets that were planted or issued, and reads all
// output of the server: its log, its answers, its errors, its tables. None
// of them may be in it, in any encoding, and neither may the first twelve characters of
// a secret. It is safe for concurrent use.
type canary struct {
	tb      testing.TB
	mu      sync.Mutex
	secrets []planted
	heard   []utterance
	allowed map[string]bool // "place: name"
	lies    bool            // what is served answers what it does not declare
}

// planted is a secret by its name.
type planted struct{ name, text string }

// An utterance is something that was let out, and where. It may hold the
// secrets that it issues, this once.
type utterance struct {
	place  string
	text   []byte
	issues []string
}

func newCanary(tb testing.TB) *canary { return &canary{tb: tb, allowed: map[string]bool{}} }

// plant makes a secret that looks different in every dress, for bodies.
func (k *canary) plant(name string) string {
	return k.knows(name, rand.Text()[:16]+"\"\\ <&%é"+rand.Text()[:8])
}

// word makes a secret of letters and digits, for headers and URLs.
func (k *canary) word(name string) string {
	return k.knows(name, rand.Text()+strings.ToLower(rand.Text()))
}

// key makes a secret that looks like the key of a cookie.
func (k *canary) key(name string) string { return k.knows(name, k.bytes(32)) }

// bytes are random ones in base64url.
func (k *canary) bytes(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// knows records a secret that another part of the test made.
func (k *canary) knows(name, text string) string {
	k.learn(name, text)
	return text
}

// learn records a secret, and reports whether it is new.
func (k *canary) learn(name, text string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.ContainsFunc(k.secrets, func(p planted) bool { return p.text == text }) {
		return false
	}
	if len(text) < leastSecret {
		k.tb.Errorf("the secret %s has %d bytes; shorter than %d it would be found by chance", name, len(text), leastSecret)
		return false
	}
	k.secrets = append(k.secrets, planted{name, text})
	return true
}

// allows a secret in one place, which is there to keep it.
func (k *canary) allows(place, name string) { k.allowed[place+": "+name] = true }

// hears something that was let out.
func (k *canary) hears(place string, text []byte, issues ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heard = append(k.heard, utterance{place, bytes.Clone(text), issues})
}

// ear is a place as an io.Writer.
type ear struct {
	canary *canary
	place  string
}

func (e ear) Write(p []byte) (int, error) {
	e.canary.hears(e.place, p)
	return len(p), nil
}

// report is what errors are reported to.
func (k *canary) report(err error) { k.hears("report", []byte(err.Error())) }

const (
	leastSecret = 16 // bytes
	beginning   = 12 // characters, which are secret too
	indexed     = 8  // bytes by which needles are found; none is shorter
)

// A needle is a secret in one dress.
type needle struct{ name, dress, text string }

// sightings are the secrets that were let out, each as "place: name, dress".
func (k *canary) sightings() (seen []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	index := map[string][]needle{}
	for _, p := range k.secrets {
		for _, n := range needles(p) {
			index[n.text[:indexed]] = append(index[n.text[:indexed]], n)
		}
	}
	for _, u := range k.heard {
		text := lower(u.text)
		for at := 0; at+indexed <= len(text); at++ {
			for _, n := range index[string(text[at:at+indexed])] {
				if bytes.HasPrefix(text[at:], []byte(n.text)) && !slices.Contains(u.issues, n.name) && !k.allowed[u.place+": "+n.name] {
					seen = append(seen, fmt.Sprintf("%s: %s, %s", u.place, n.name, n.dress))
				}
			}
		}
	}
	slices.Sort(seen)
	return slices.Compact(seen)
}

// needles are a secret and its beginning in every dress.
func needles(p planted) (all []needle) {
	first := p.text
	if utf8.ValidString(first) {
		first = string([]rune(first)[:beginning])
	} else {
		first = first[:beginning]
	}
	for dress, text := range dresses(p.text) {
		all = append(all, needle{p.name, dress, string(lower([]byte(text)))})
	}
	for dress, text := range dresses(first) {
		all = append(all, needle{p.name, "the beginning " + dress, string(lower([]byte(text)))})
	}
	return all
}

// dresses are the encodings in which a text may appear, each once. The search
// ignores case.
func dresses(text string) map[string]string {
	each := func(format string) string {
		var b strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&b, format, text[i])
		}
		return b.String()
	}
	all := map[string]string{
		"plain": text, "reversed": reversed(text), "in hex": hex.EncodeToString([]byte(text)), "as numbers": strings.TrimSpace(each("%d ")),
		"escaped for a query": url.QueryEscape(text), "escaped for a path": url.PathEscape(text), "escaped for a URL, all of it": each("%%%02x"),
	}
	for shift := range 3 {
		all[fmt.Sprintf("in base64, shifted by %d", shift)] = shifted(base64.RawStdEncoding, text, shift)
		all[fmt.Sprintf("in base64url, shifted by %d", shift)] = shifted(base64.RawURLEncoding, text, shift)
	}
	if utf8.ValidString(text) {
		all["in JSON"], all["in JSON, safe for HTML"] = inJSON(text, false), inJSON(text, true)
		all["quoted"], all["quoted in ASCII"] = inside(strconv.Quote(text)), inside(strconv.QuoteToASCII(text))
		all["in JSON, all of it escaped"] = each(`\u%04x`)
	}
	maps.DeleteFunc(all, func(dress, dressed string) bool { return dress != "plain" && dressed == text })
	return all
}

// shifted is a text as it stands in the base64 of a longer one, wherever it
// begins there: less the characters at both ends that others have a part in.
func shifted(encoding *base64.Encoding, text string, shift int) string {
	encoded := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + text))
	return encoded[(8*shift+5)/6 : 8*(shift+len(text))/6]
}

func reversed(text string) string {
	if !utf8.ValidString(text) {
		b := []byte(text)
		slices.Reverse(b)
		return string(b)
	}
	r := []rune(text)
	slices.Reverse(r)
	return string(r)
}

func inJSON(text string, safe bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(safe)
	_ = encoder.Encode(text) // text is UTF-8, which cannot fail
	return inside(strings.TrimSpace(b.String()))
}

// inside is a quoted text without its quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// lower is ASCII in lower case, and any other byte as it is.
func lower(text []byte) []byte {
	low := bytes.Clone(text)
	for i, b := range low {
		if 'A' <= b && b <= 'Z' {
			low[i] = b + 'a' - 'A'
		}
	}
	return low
}
