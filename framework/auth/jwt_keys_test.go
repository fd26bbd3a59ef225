package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestParseKeysReadsWhatGenerateKeyMakes(t *testing.T) {
	text, err := testKeys()
	must(t, err)
	for name, spelling := range map[string]string{
		"a line each":        text,
		"with commas":        strings.ReplaceAll(text, "\n", ","),
		"with comma and gap": " " + strings.ReplaceAll(text, "\n", " , \r\n") + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := ParseKeys(spelling)
			must(t, err)
			if got := keys.String(); got != "ed (EdDSA), hs (HS256), rs (RS256)" {
				t.Errorf("the ring is %s", got)
			}
		})
	}
}

func TestEveryKeyVerifiesAndTheFirstSigns(t *testing.T) {
	for _, first := range []string{"ed", "hs", "rs"} {
		sealed, err := keyRing(t, first).seal(jwtClaims{ID: newID(), Type: accessType})
		must(t, err)
		for _, other := range []string{"ed", "hs", "rs"} {
			if _, ok := keyRing(t, other).open(sealed.Reveal()); !ok {
				t.Errorf("a token of %s is rejected if %s signs", first, other)
			}
		}
		head, _, _ := strings.Cut(sealed.Reveal(), ".")
		header, err := base64.RawURLEncoding.DecodeString(head)
		if want := `"kid":"` + first + `"`; err != nil || !strings.Contains(string(header), want) {
			t.Errorf("the header is %s, %v; want %s", header, err, want)
		}
	}
}

// TestTheShortestRSAKey: a key of 2048 bits is accepted, as RFC 7518 section 3.3 requires
// no more.
func TestTheShortestRSAKey(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if _, err := ParseKeys("a:RS256:" + pkcs8Text(t, private, err)); err != nil {
		t.Errorf("2048 bits: %v", err)
	}
}

func TestGenerateKey(t *testing.T) {
	one, err := GenerateKey("", HS256)
	must(t, err)
	two, err := GenerateKey("", HS256)
	must(t, err)
	if one.Reveal() == two.Reveal() || one.String() != "[secret]" {
		t.Error("two keys are alike, or one is printed")
	}
	if _, err := ParseKeys(one.Reveal() + " " + two.Reveal()); err != nil {
		t.Errorf("keys without a kid: %v", err)
	}
	for name, c := range map[string][2]string{
		"no algorithm": {"a", ""}, "an unknown one": {"a", "HS512"}, "none": {"a", "none"}, "lower case": {"a", "hs256"},
		"a kid with a colon": {"a:b", HS256}, "a long kid": {strings.Repeat("a", 65), HS256}, "a kid of two lines": {"a\nb", HS256},
	} {
		if _, err := GenerateKey(c[0], c[1]); err == nil {
			t.Errorf("%s made a key", name)
		}
	}
}

func pkcs8Text(t *testing.T, private any, err error) string {
	t.Helper()
	must(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	return base64.StdEncoding.EncodeToString(der)
}

// TestParseKeysRejects: an error names the key and the reason, and repeats nothing of the
// text.
func TestParseKeysRejects(t *testing.T) {
	good, err := GenerateKey("good", HS256)
	must(t, err)
	const canary = "Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LWNhbmFyeQ" // 34 bytes
	weakRSA, err := rsa.GenerateKey(rand.Reader, 1024)
	weak := pkcs8Text(t, weakRSA, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	curve := pkcs8Text(t, ec, err)
	public, err := x509.MarshalPKIXPublicKey(&weakRSA.PublicKey)
	must(t, err)
	folder := t.TempDir()
	garbage := filepath.Join(folder, "garbage")
	must(t, os.WriteFile(garbage, []byte("canary!"), 0o600))

	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "there is no JWT key"},
		{"only separators", " ,\n, ", "there is no JWT key"},
		{"a bare secret", canary, "key 1 of 1: it is not of the form kid:algorithm:key"},
		{"a kid and a secret", "a:" + canary, "not of the form"},
		{"the second is wrong", good.Reveal() + "\n" + canary, "key 2 of 2"},
		{"an empty kid", ":HS256:" + canary, "its kid"},
		{"the secret as kid, too long", strings.Repeat(canary, 2) + ":HS256:x", "its kid"},
		{"a kid that is a path", "../a:HS256:" + canary, "its kid"},
		{"the same kid twice", good.Reveal() + " good:HS256:" + canary, "an earlier key has the same kid"},
		{"no algorithm", "a::" + canary, "its algorithm is unknown"},
		{"none", "a:none:" + canary, "its algorithm is unknown"},
		{"HS512", "a:HS512:" + canary, "its algorithm is unknown"},
		{"the algorithm in lower case", "a:hs256:" + canary, "its algorithm is unknown"},
		{"algorithm and key the wrong way round", "a:" + canary + ":HS256", "not base64"},
		{"no key", "a:HS256:", "has 0"},
		{"a short secret", "a:HS256:" + base64.StdEncoding.EncodeToString(make([]byte, 31)), "at least 32 random bytes, and its key has 31"},
		{"no base64", "a:HS256:canary!canary!canary!canary!canary!", "not base64"},
		{"a public key as secret", "a:HS256:" + base64.StdEncoding.EncodeToString(public), "a public key"},
		{"a secret for EdDSA", "a:EdDSA:" + canary, "PKCS#8"},
		{"a secret for RS256", "a:RS256:" + canary, "PKCS#8"},
		{"an RSA key of 1024 bits", "a:RS256:" + weak, "at least 2048 bits, and this has 1024"},
		{"an RSA key for EdDSA", "a:EdDSA:" + weak, "not one for EdDSA"},
		{"an elliptic key for RS256", "a:RS256:" + curve, "not one for RS256"},
		{"an elliptic key for EdDSA", "a:EdDSA:" + curve, "not one for EdDSA"},
		{"a file that is not there", "a:HS256:@" + filepath.Join(folder, "nothing"), "cannot be read"},
		{"a file of something else", "a:HS256:@" + garbage, "not base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys, err := ParseKeys(c.text)
			if keys != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, %v; want an error with %q", keys, err, c.want)
			}
			if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), canary[:8]) {
				t.Errorf("the error repeats the text: %v", err)
			}
		})
	}
}

func TestParseKeysReadsFiles(t *testing.T) {
	text, err := testKeys()
	must(t, err)
	folder := t.TempDir()
	var entries []string
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, ":")
		der, err := base64.RawURLEncoding.DecodeString(parts[2])
		must(t, err)
		content := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
		if parts[1] == HS256 {
			content = []byte(base64.StdEncoding.EncodeToString(der) + "\n")
		}
		path := filepath.Join(folder, parts[0])
		must(t, os.WriteFile(path, content, 0o600))
		entries = append(entries, parts[0]+":"+parts[1]+":@"+path)
	}
	files, err := ParseKeys(strings.Join(entries, "\n"))
	must(t, err)
	for _, first := range []string{"ed", "hs", "rs"} {
		sealed, err := keyRing(t, first).seal(jwtClaims{Type: accessType})
		must(t, err)
		if _, ok := files.open(sealed.Reveal()); !ok {
			t.Errorf("the key %s differs when it is read from a file", first)
		}
	}
}

func TestKeysAndTokensAreNotPrinted(t *testing.T) {
	text, err := testKeys()
	must(t, err)
	keys := keyRing(t, "hs")
	options := JWTOptions{Keys: keys, Issuer: "clinic"}
	service, err := NewJWT(options)
	must(t, err)
	pair, _, err := service.newPair(uuid.New(), uuid.New(), time.Now())
	must(t, err)

	var out bytes.Buffer
	for _, v := range []any{keys, *keys, options, &options, service, *service, pair, &pair, []Pair{pair}, struct{ k *Keys }{keys}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("made", "it", v)
		encoded, _ := json.Marshal(v) // functions cannot be encoded; the error does not matter here
		out.Write(encoded)
	}
	hidden := []string{pair.Access.Reveal(), pair.Refresh.Reveal()}
	for line := range strings.SplitSeq(text, "\n") {
		material := strings.Split(line, ":")[2]
		plain, err := base64.RawURLEncoding.DecodeString(material)
		must(t, err)
		hidden = append(hidden, material, hex.EncodeToString(plain), strings.Trim(fmt.Sprint(plain), "[]"),
			base64.StdEncoding.EncodeToString(plain))
	}
	rsaKey := private(t, "rs").(*rsa.PrivateKey)
	hidden = append(hidden, rsaKey.D.String(), rsaKey.D.Text(16), rsaKey.Primes[0].String(),
		strings.Trim(fmt.Sprint(private(t, "ed")), "[]"))
	for i, h := range hidden {
		if strings.Contains(out.String(), h) {
			t.Errorf("secret %d was printed", i)
		}
	}
	if !strings.Contains(out.String(), "hs (HS256), ed (EdDSA), rs (RS256)") && !strings.Contains(out.String(), "hs (HS256), rs (RS256), ed (EdDSA)") {
		t.Error("the ids of the keys were not printed")
	}
}

func TestNewJWTAcceptsTheBounds(t *testing.T) {
	keys := keyRing(t, "hs")
	const century = 100 * 365 * 24 * time.Hour
	for name, o := range map[string]JWTOptions{
		"all minima": {Keys: keys, Issuer: "clinic", Access: time.Second, Refresh: time.Second, Login: time.Second, Leeway: time.Second, Grace: time.Second},
		"all maxima": {Keys: keys, Issuer: "clinic", Access: century, Refresh: century, Login: century, Leeway: 30 * time.Second, Grace: time.Minute},
	} {
		if _, err := NewJWT(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewJWTRejects(t *testing.T) {
	keys := keyRing(t, "hs")
	for name, o := range map[string]JWTOptions{
		"no keys":                               {Issuer: "clinic"},
		"an empty ring":                         {Issuer: "clinic", Keys: &Keys{}},
		"no issuer":                             {Keys: keys},
		"an access with a fraction of a second": {Keys: keys, Issuer: "clinic", Access: 1500 * time.Millisecond},
		"a negative access":                     {Keys: keys, Issuer: "clinic", Access: -time.Second},
		"access longer than refresh":            {Keys: keys, Issuer: "clinic", Access: 2 * time.Hour, Refresh: time.Hour},
		"refresh longer than login":             {Keys: keys, Issuer: "clinic", Refresh: 2 * time.Hour, Login: time.Hour},
		"a leeway above 30 s":                   {Keys: keys, Issuer: "clinic", Leeway: 31 * time.Second},
		"a negative leeway":                     {Keys: keys, Issuer: "clinic", Leeway: -time.Second},
		"a grace above a minute":                {Keys: keys, Issuer: "clinic", Grace: 61 * time.Second},
		"a negative grace":                      {Keys: keys, Issuer: "clinic", Grace: -time.Second},
	} {
		if j, err := NewJWT(o); j != nil || err == nil {
			t.Errorf("%s: %v, %v", name, j, err)
		}
	}
	j, err := NewJWT(JWTOptions{Keys: keys, Issuer: "clinic"})
	must(t, err)
	if j.audience != "clinic" || j.access != 300 || j.refresh != 86400 || j.grace != 10*time.Second || j.leeway != 10 {
		t.Error("the defaults differ from the documentation")
	}
}
