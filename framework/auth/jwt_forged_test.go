package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// A forger makes tokens like the service, each with one fault. Unless a case is about the
// key, the token is signed with the right key.
type forger struct {
	*testing.T

	kind          string // the type of the tokens
	header, claim map[string]any
}

// An object has members to set; a member with the value drop is removed.
type object = map[string]any

var drop any = new(int)

func newForger(w *jwtWorld, kind string, genuine Secret) *forger {
	claims, ok := w.jwt.keys.open(genuine.Reveal())
	if !ok {
		w.Fatal("the genuine token is not")
	}
	return &forger{
		T: w.T, kind: kind,
		header: object{"typ": kind + "+jwt", "alg": EdDSA, "kid": "ed"},
		claim: object{
			"iss": "clinic", "aud": "clinic", "sub": claims.Subject.String(), "sid": claims.Family.String(), "jti": claims.ID.String(),
			"typ": kind, "iat": claims.Issued, "exp": claims.Expires,
		},
	}
}

func edited(from, edits object) string {
	to := maps.Clone(from)
	for name, value := range edits {
		to[name] = value
		if value == drop {
			delete(to, name)
		}
	}
	text, err := json.Marshal(to)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// key returns the private part of a key of the ring.
func (f *forger) key(kid string) any { return private(f.T, kid) }

// public returns the public part in DER.
func (f *forger) public(kid string) []byte {
	der, err := x509.MarshalPKIXPublicKey(public(f.T, kid))
	must(f.T, err)
	return der
}

// sign signs any header and payload.
func (f *forger) sign(header, payload string, method jwt.SigningMethod, key any) string {
	signed := encode(header) + "." + encode(payload)
	signature, err := method.Sign(signed, key)
	must(f.T, err)
	return signed + "." + encode(string(signature))
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// headed returns a token with another header and the right claims.
func (f *forger) headed(edits object, method jwt.SigningMethod, key any) string {
	return f.sign(edited(f.header, edits), edited(f.claim, nil), method, key)
}

// claims returns a token with other claims and the right header and key.
func (f *forger) claims(edits object) string {
	return f.payload(edited(f.claim, edits))
}

func (f *forger) payload(text string) string {
	return f.sign(edited(f.header, nil), text, jwt.SigningMethodEdDSA, f.key("ed"))
}

// head returns a token with a literal header.
func (f *forger) head(text string) string {
	return f.sign(text, edited(f.claim, nil), jwt.SigningMethodEdDSA, f.key("ed"))
}

// inserted adds members to a JSON text, before its own.
func inserted(text, members string) string { return strings.Replace(text, "{", "{"+members+",", 1) }

// unsigned returns a token without a signature.
func (f *forger) unsigned(alg any) string {
	return encode(edited(f.header, object{"alg": alg})) + "." + encode(edited(f.claim, nil)) + "."
}

func (f *forger) algorithms() map[string]string {
	ed, hs, rs := f.key("ed"), f.key("hs"), f.key("rs")
	_, otherEd, err := ed25519.GenerateKey(rand.Reader)
	must(f.T, err)
	otherRSA, err := rsa.GenerateKey(rand.Reader, 2048)
	must(f.T, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(f.T, err)
	toHS := func(kid string) object { return object{"alg": HS256, "kid": kid} }
	asPEM := func(block string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: block, Bytes: der}) }
	pkcs1 := x509.MarshalPKCS1PublicKey(public(f.T, "rs").(*rsa.PublicKey))
	h256 := jwt.SigningMethodHS256
	eddsa := jwt.SigningMethodEdDSA

	return map[string]string{
		"alg none without a signature":               f.unsigned("none"),
		"alg none with the genuine signature":        f.headed(object{"alg": "none"}, eddsa, ed),
		"alg None":                                   f.unsigned("None"),
		"alg NONE":                                   f.unsigned("NONE"),
		"alg NoNe":                                   f.unsigned("NoNe"),
		"the right alg without a signature":          f.unsigned(EdDSA),
		"alg missing":                                f.headed(object{"alg": drop}, eddsa, ed),
		"alg empty":                                  f.headed(object{"alg": ""}, eddsa, ed),
		"alg null":                                   f.headed(object{"alg": nil}, eddsa, ed),
		"alg a number":                               f.headed(object{"alg": 256}, eddsa, ed),
		"alg a list":                                 f.headed(object{"alg": []string{EdDSA}}, eddsa, ed),
		"alg in lower case":                          f.headed(object{"alg": "eddsa"}, eddsa, ed),
		"alg with a space":                           f.headed(object{"alg": "EdDSA "}, eddsa, ed),
		"alg Ed25519, its newer name":                f.headed(object{"alg": "Ed25519"}, eddsa, ed),
		"HMAC with the public EdDSA key":             f.headed(toHS("ed"), h256, []byte(public(f.T, "ed").(ed25519.PublicKey))),
		"HMAC with the public RSA key in DER":        f.headed(toHS("rs"), h256, f.public("rs")),
		"HMAC with the public RSA key in PEM":        f.headed(toHS("rs"), h256, asPEM("PUBLIC KEY", f.public("rs"))),
		"HMAC with the public RSA key in PKCS 1":     f.headed(toHS("rs"), h256, asPEM("RSA PUBLIC KEY", pkcs1)),
		"HMAC with an empty secret":                  f.headed(toHS("hs"), h256, []byte{}),
		"HMAC with the kid as secret":                f.headed(toHS("hs"), h256, []byte("hs")),
		"HMAC with 32 zero bytes":                    f.headed(toHS("hs"), h256, make([]byte, 32)),
		"HMAC with another secret":                   f.headed(toHS("hs"), h256, []byte("another secret of thirty-two byt")),
		"EdDSA with another key":                     f.headed(nil, eddsa, otherEd),
		"RS256 with another key":                     f.headed(object{"alg": RS256, "kid": "rs"}, jwt.SigningMethodRS256, otherRSA),
		"HS384 with the key for HS256":               f.headed(object{"alg": "HS384", "kid": "hs"}, jwt.SigningMethodHS384, hs),
		"HS512 with the key for HS256":               f.headed(object{"alg": "HS512", "kid": "hs"}, jwt.SigningMethodHS512, hs),
		"HS512, declared as HS256":                   f.headed(toHS("hs"), jwt.SigningMethodHS512, hs),
		"RS384 with the key for RS256":               f.headed(object{"alg": "RS384", "kid": "rs"}, jwt.SigningMethodRS384, rs),
		"RS512, declared as RS256":                   f.headed(object{"alg": RS256, "kid": "rs"}, jwt.SigningMethodRS512, rs),
		"PS256 with the key for RS256":               f.headed(object{"alg": "PS256", "kid": "rs"}, jwt.SigningMethodPS256, rs),
		"PS256, declared as RS256":                   f.headed(object{"alg": RS256, "kid": "rs"}, jwt.SigningMethodPS256, rs),
		"ES256 with a key of its own":                f.headed(object{"alg": "ES256"}, jwt.SigningMethodES256, ec),
		"the key of another kid, its alg":            f.headed(object{"alg": HS256}, h256, hs),
		"the key of another kid, the alg of the kid": f.headed(nil, h256, hs),
		"the kid of another key":                     f.headed(object{"kid": "hs"}, eddsa, ed),
	}
}

func (f *forger) headers() map[string]string {
	eddsa, ed := jwt.SigningMethodEdDSA, f.key("ed")
	jwk := object{"kty": "OKP", "crv": "Ed25519", "x": encode(string(public(f.T, "ed").(ed25519.PublicKey)))}
	with := func(edits object) string { return f.headed(edits, eddsa, ed) }
	kid := func(kid any) string { return with(object{"kid": kid}) }
	empty := func(kid string) string {
		return f.headed(object{"kid": kid, "alg": HS256}, jwt.SigningMethodHS256, []byte{})
	}
	plain := edited(f.header, nil)
	other := map[string]string{accessType: refreshType, refreshType: accessType}[f.kind]

	return map[string]string{
		"kid missing":                       kid(drop),
		"kid empty":                         kid(""),
		"kid null":                          kid(nil),
		"kid a number":                      kid(0),
		"kid a list":                        kid([]string{"ed"}),
		"kid unknown":                       kid("nobody"),
		"kid in capitals":                   kid("ED"),
		"kid with a space":                  kid("ed "),
		"kid with NUL":                      kid("ed\x00"),
		"kid with a lookalike letter":       kid("еd"), // U+0435
		"kid with SQL":                      kid("ed' OR '1'='1"),
		"kid with a UNION":                  kid("x' UNION SELECT 'secret'--"),
		"kid with a shell command":          kid("ed|whoami"),
		"kid a path to an empty file":       empty("../../../../dev/null"),
		"kid an absolute path":              empty("/dev/null"),
		"kid a URL":                         empty("https://attacker.example/key"),
		"kid of half a megabyte":            kid(strings.Repeat("e", 1<<19)),
		"an embedded jwk":                   with(object{"jwk": jwk}),
		"an embedded jwk and no kid":        with(object{"jwk": jwk, "kid": drop}),
		"jku":                               with(object{"jku": "https://attacker.example/keys"}),
		"x5u":                               with(object{"x5u": "https://attacker.example/chain"}),
		"x5c":                               with(object{"x5c": []string{"MIIB"}}),
		"crit with an extension":            with(object{"crit": []string{"exp"}, "exp": 1}),
		"crit empty":                        with(object{"crit": []string{}}),
		"b64 false":                         with(object{"b64": false}),
		"zip":                               with(object{"zip": "DEF"}),
		"enc, as of an encrypted token":     with(object{"enc": "A256GCM"}),
		"cty JWT":                           with(object{"cty": "JWT"}),
		"an unknown member":                 with(object{"x": 1}),
		"header typ JWT":                    with(object{"typ": "JWT"}),
		"header typ missing":                with(object{"typ": drop}),
		"header typ null":                   with(object{"typ": nil}),
		"header typ in capitals":            with(object{"typ": strings.ToUpper(f.kind) + "+JWT"}),
		"header typ of the other kind":      with(object{"typ": other + "+jwt"}),
		"alg twice, none first":             f.head(inserted(plain, `"alg":"none"`)),
		"alg twice, the same":               f.head(inserted(plain, `"alg":"EdDSA"`)),
		"kid twice":                         f.head(inserted(plain, `"kid":"hs"`)),
		"ALG in capitals beside it":         f.head(inserted(plain, `"ALG":"none"`)),
		"names in capitals":                 f.head(strings.NewReplacer(`"alg"`, `"Alg"`, `"kid"`, `"Kid"`).Replace(plain)),
		"the header a list":                 f.head("[" + plain + "]"),
		"the header null":                   f.head("null"),
		"the header a string":               f.head(`"EdDSA"`),
		"the header empty":                  f.head(""),
		"the header an empty object":        f.head("{}"),
		"the header no JSON":                f.head("{alg:EdDSA}"),
		"the header with more after it":     f.head(plain + "{}"),
		"the header with a byte order mark": f.head("\ufeff" + plain),
		"the header not UTF-8":              f.head(strings.Replace(plain, "ed", "e\xff", 1)),
		"the header nested deeply":          f.head(strings.Repeat("[", 3000) + strings.Repeat("]", 3000)),
	}
}

func (f *forger) wrongClaims() map[string]string {
	issued, expires := f.claim["iat"].(int64), f.claim["exp"].(int64)
	raw := func(text string) any { return json.RawMessage(text) }
	all := map[string]string{
		"iss wrong":                     f.claims(object{"iss": "store"}),
		"iss in capitals":               f.claims(object{"iss": "Clinic"}),
		"iss longer":                    f.claims(object{"iss": "clinic.attacker.example"}),
		"iss with a slash":              f.claims(object{"iss": "clinic/"}),
		"iss with a lookalike letter":   f.claims(object{"iss": "сlinic"}), // U+0441
		"aud wrong":                     f.claims(object{"aud": "store"}),
		"aud a list with ours":          f.claims(object{"aud": []string{"store", "clinic"}}),
		"aud a list of ours":            f.claims(object{"aud": []string{"clinic"}}),
		"aud an empty list":             f.claims(object{"aud": []string{}}),
		"aud in capitals":               f.claims(object{"aud": "CLINIC"}),
		"sub unknown":                   f.claims(object{"sub": uuid.New()}),
		"sub zero":                      f.claims(object{"sub": uuid.Nil}),
		"sub an e-mail":                 f.claims(object{"sub": "asha@example.com"}),
		"sub SQL":                       f.claims(object{"sub": "' OR '1'='1"}),
		"sid unknown":                   f.claims(object{"sid": uuid.New()}),
		"sid zero":                      f.claims(object{"sid": uuid.Nil}),
		"jti zero":                      f.claims(object{"jti": uuid.Nil}),
		"jti no id":                     f.claims(object{"jti": "1"}),
		"typ in capitals":               f.claims(object{"typ": strings.ToUpper(f.kind)}),
		"typ unknown":                   f.claims(object{"typ": "id"}),
		"exp now":                       f.claims(object{"exp": issued}),
		"exp in the past":               f.claims(object{"iat": issued - 600, "exp": issued - 300}),
		"exp at iat, both just ahead":   f.claims(object{"iat": issued + 5, "exp": issued + 5}),
		"exp before iat":                f.claims(object{"exp": issued - 1}),
		"exp zero":                      f.claims(object{"exp": 0}),
		"exp negative":                  f.claims(object{"exp": -1}),
		"exp one second too late":       f.claims(object{"exp": expires + 1}),
		"exp in a hundred years":        f.claims(object{"exp": issued + 100*365*86400}),
		"exp the largest":               f.claims(object{"exp": int64(math.MaxInt64)}),
		"exp beyond the largest":        f.claims(object{"exp": raw("9223372036854775808")}),
		"exp of a thousand digits":      f.claims(object{"exp": raw(strings.Repeat("9", 1000))}),
		"exp a fraction":                f.claims(object{"exp": raw("1795169100.5")}),
		"exp a power of ten":            f.claims(object{"exp": raw("1e400")}),
		"exp a power of ten that fits":  f.claims(object{"exp": raw("17951691e2")}),
		"exp in milliseconds":           f.claims(object{"exp": expires * 1000}),
		"iat in the future":             f.claims(object{"iat": issued + 11}),
		"iat zero":                      f.claims(object{"iat": 0}),
		"iat negative, exp the largest": f.claims(object{"iat": -1, "exp": int64(math.MaxInt64)}),
		"iat the smallest":              f.claims(object{"iat": int64(math.MinInt64)}),
		"nbf in the future":             f.claims(object{"nbf": issued + 11}),
		"nbf the largest":               f.claims(object{"nbf": int64(math.MaxInt64)}),
		"nbf a text":                    f.claims(object{"nbf": "0"}),
	}
	for name := range f.claim {
		all[name+" missing"] = f.claims(object{name: drop})
		all[name+" null"] = f.claims(object{name: nil})
		all[name+" empty"] = f.claims(object{name: ""})
		all[name+" true"] = f.claims(object{name: true})
		all[name+" an object"] = f.claims(object{name: object{}})
		all[name+" in a list"] = f.claims(object{name: []any{f.claim[name]}})
		all[name+" in capitals"] = f.payload(strings.Replace(edited(f.claim, nil), `"`+name+`"`, `"`+strings.ToUpper(name)+`"`, 1))
		own, _ := json.Marshal(f.claim[name])
		all[name+" twice"] = f.payload(inserted(edited(f.claim, nil), `"`+name+`":`+string(own)))
		if _, ok := f.claim[name].(int64); ok {
			all[name+" a text of digits"] = f.claims(object{name: string(own)})
		} else {
			all[name+" a number"] = f.claims(object{name: 1})
		}
	}
	return all
}

func (f *forger) payloads(genuine string) map[string]string {
	plain := edited(f.claim, nil)
	return map[string]string{
		"the claims empty":                  f.payload(""),
		"the claims an empty object":        f.payload("{}"),
		"the claims null":                   f.payload("null"),
		"the claims a list":                 f.payload("[" + plain + "]"),
		"the claims a number":               f.payload("1"),
		"the claims a nested token":         f.payload(`"` + genuine + `"`),
		"the claims a bare token":           f.payload(genuine),
		"the claims with more after them":   f.payload(plain + " {}"),
		"the claims cut short":              f.payload(plain[:len(plain)-1]),
		"the claims with a byte order mark": f.payload("\ufeff" + plain),
		"the claims not UTF-8":              f.payload(inserted(plain, "\"x\":\"\xff\"")),
		"the claims with a lone surrogate":  f.payload(inserted(plain, `"x":"\ud800"`)),
		"the claims with a comment":         f.payload(plain + "//"),
		"the claims nested deeply":          f.payload(inserted(plain, `"x":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000))),
		"the claims huge":                   f.payload(inserted(plain, `"x":"`+strings.Repeat("x", 8<<10)+`"`)),
		"the claims huge, of empty names":   f.payload(inserted(plain, strings.TrimSuffix(strings.Repeat(`"":0,`, 5000), ","))),
	}
}

// mangled returns changed forms of the genuine token.
func mangled(genuine, other string) map[string]string {
	parts, others := strings.Split(genuine, "."), strings.Split(other, ".")
	join := func(parts ...string) string { return strings.Join(parts, ".") }
	h, p, s := parts[0], parts[1], parts[2]
	flipped := func(text string, at int) string {
		letter := byte('A')
		if text[at] == letter {
			letter = 'B'
		}
		return text[:at] + string(letter) + text[at+1:]
	}
	// 64 bytes leave four bits of the last letter unused.
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	stray := s[:len(s)-1] + string(letters[strings.IndexByte(letters, s[len(s)-1])+1])

	return map[string]string{
		"no signature":                       join(h, p),
		"an empty signature":                 join(h, p, ""),
		"an empty payload":                   join(h, "", s),
		"an empty header":                    join("", p, s),
		"three empty parts":                  "..",
		"the header alone":                   h,
		"half of it":                         genuine[:len(genuine)/2],
		"one letter short":                   genuine[:len(genuine)-1],
		"one letter more":                    genuine + "A",
		"four letters more":                  genuine + "AAAA",
		"a fourth part":                      join(h, p, s, s),
		"a fourth part, empty":               genuine + ".",
		"five parts, as of an encrypted one": join(h, p, s, h, p),
		"an empty part first":                "." + genuine,
		"it twice":                           genuine + genuine,
		"it twice with a comma":              genuine + "," + genuine,
		"the last letter with stray bits":    join(h, p, stray),
		"a changed letter in the signature":  join(h, p, flipped(s, 5)),
		"a changed letter in the payload":    join(h, flipped(p, 40), s),
		"a changed letter in the header":     join(flipped(h, 5), p, s),
		"the signature of another token":     join(h, p, others[2]),
		"the payload of another token":       join(h, others[1], s),
		"payload and signature changed over": join(h, s, p),
		"header and payload changed over":    join(p, h, s),
		"a padded header":                    join(h+"=", p, s),
		"a padded payload":                   join(h, p+"==", s),
		"a padded signature":                 join(h, p, s+"=="),
		"the other alphabet of base64":       join(h, p, s[:10]+"+/"+s[12:]),
		"a line break in the signature":      join(h, p, s[:10]+"\n"+s[10:]),
		"a line break after it":              genuine + "\n",
		"a return in the signature":          join(h, p, s+"\r"),
		"a line break in the header":         join(h[:5]+"\r\n"+h[5:], p, s),
		"a space in the middle":              join(h, " "+p, s),
		"a tab after the header":             join(h+"\t", p, s),
		"NUL after it":                       genuine + "\x00",
		"NUL in the middle":                  join(h, p+"\x00", s),
		"not ASCII":                          join(h, p, s[:10]+"é"+s[11:]),
		"full-width dots":                    strings.ReplaceAll(genuine, ".", "．"),
		"not UTF-8":                          genuine + "\xff",
		"in quotes":                          `"` + genuine + `"`,
		"percent-encoded dots":               strings.ReplaceAll(genuine, ".", "%2e"),
		"a million dots":                     strings.Repeat(".", 1<<20),
		"it and a million dots":              genuine + strings.Repeat(".", 1<<20),
		"two dots and a megabyte of letters": strings.Repeat("A", 1<<20) + ".." + strings.Repeat("A", 1<<20),
		"two dots and a megabyte of breaks":  "." + strings.Repeat("\n", 1<<20) + ".",
		"one byte too long":                  genuine + strings.Repeat("A", maximumJWT+1-len(genuine)),
	}
}

// TestForgedTokens: no forged token is accepted, as access or as refresh token, and none
// ends the login that it names.
func TestForgedTokens(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		pair, theirs := w.login(user), w.login(other)
		for kind, tokens := range map[string][2]Secret{
			accessType: {pair.Access, theirs.Access}, refreshType: {pair.Refresh, theirs.Refresh},
		} {
			genuine, another := tokens[0].Reveal(), tokens[1].Reveal()
			f := newForger(w, kind, tokens[0])
			forged := f.algorithms()
			for _, more := range []map[string]string{
				f.headers(), f.wrongClaims(), f.payloads(genuine), mangled(genuine, another), {
					"sub of another user":                f.claims(object{"sub": other.ID}),
					"sid of another user":                f.claims(object{"sid": theirs.Family}),
					"used as the other kind":             map[string]string{accessType: pair.Refresh.Reveal(), refreshType: pair.Access.Reveal()}[kind],
					"the other kind, by its header only": f.claims(object{"typ": map[string]string{accessType: refreshType, refreshType: accessType}[kind]}),
					"an opaque token":                    "trs_" + strings.Repeat("A", 43),
					"an opaque token with dots":          "trs_.A.A",
					"nothing":                            "",
				},
			} {
				maps.Copy(forged, more)
			}
			w.Run(kind, func(t *testing.T) { w.acceptsNone(t, kind, forged, genuine, f) })
		}
		w.open(pair, true)
		w.open(w.refresh(pair), true)
		w.open(w.refresh(theirs), true)
	})
}

func (w *jwtWorld) acceptsNone(t *testing.T, kind string, forged map[string]string, genuine string, f *forger) {
	t.Helper()
	if len(forged) < 200 {
		t.Fatalf("there are only %d cases", len(forged))
	}
	t.Logf("%d forged or misused %s tokens", len(forged), kind)
	for name, token := range forged {
		if token == genuine {
			t.Errorf("%s: this is the genuine token", name)
			continue
		}
		if kind == accessType {
			if caller, err := w.bearer(token); caller != nil || err != nil && !isRefused(err) {
				t.Errorf("%s: accepted as %+v, error %v", name, caller, err)
			}
			continue
		}
		pair, err := w.jwt.Refresh(w.ctx, w.s, token)
		if pair != (Pair{}) || !isRefused(err) {
			t.Errorf("%s: got %+v, error %v", name, pair, err)
		}
		if err != nil && len(token) > 20 && strings.Contains(err.Error(), token[:20]) {
			t.Errorf("%s: the error repeats the token", name)
		}
	}
	// A token without a fault is accepted; otherwise these cases would prove nothing.
	for name, token := range map[string]string{
		"as it is": f.claims(nil), "with another claim": f.claims(object{"role": "admin"}),
		"just begun":               f.claims(object{"nbf": f.claim["iat"]}),
		"begins within the leeway": f.claims(object{"nbf": f.claim["iat"].(int64) + 10}),
	} {
		if _, err := w.jwt.read(token, w.now.Unix(), kind); err != nil {
			t.Errorf("a valid token, %s, is rejected: %v", name, err)
		}
	}
	if caller, _ := w.bearer(f.claims(object{"role": "admin", "is_staff": true, "is_superuser": true})); kind == accessType &&
		(caller == nil || caller.Staff || caller.Superuser) {
		t.Errorf("a token that claims rights finds %+v", caller)
	}
}

func FuzzOpen(f *testing.F) {
	text, err := testKeys()
	if err != nil {
		f.Fatal(err)
	}
	keys, err := ParseKeys(text)
	if err != nil {
		f.Fatal(err)
	}
	genuine, err := keys.seal(jwtClaims{Type: accessType})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(genuine.Reveal())
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		if claims, ok := keys.open(token); ok && token != genuine.Reveal() {
			t.Errorf("%q was opened: %+v", token, claims)
		}
	})
}
