package hashers

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const password = "four unrelated words walk"

//go:embed testdata/django.json
var madeByDjango []byte

// A vector is a hash that another program made.
type vector struct{ Name, Password, Hash string }

func djangoVectors(t *testing.T) []vector {
	t.Helper()
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(madeByDjango, &file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

func mustRead(t *testing.T, text string, o ReadOptions) Hash {
	t.Helper()
	h, err := Read(text, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHashesOfDjangoAreRead: testdata/hashes.py made them with Django.
func TestHashesOfDjangoAreRead(t *testing.T) {
	vectors := djangoVectors(t)
	if len(vectors) < 12 {
		t.Fatalf("there are %d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			h := mustRead(t, v.Hash, ReadOptions{Pepper: "not for Django"})
			if _, none := h.(Unusable); none {
				if h.Matches("") || h.Matches(v.Hash) {
					t.Error("a password matches a hash for no password")
				}
				return
			}
			if !h.Matches(v.Password) {
				t.Error("the right password does not match")
			}
			if h.Matches(v.Password + "x") {
				t.Error("a wrong password matches")
			}
		})
	}
}

// TestHashesOfRailsAndDevise: bcrypt with version 2a, which Ruby writes. The hashes were made
// by the Python package bcrypt 5.0.0.
func TestHashesOfRailsAndDevise(t *testing.T) {
	const plain, peppered = "$2a$04$xjW.P6Tr4248rwGdhXq0wuvJkgs.qFu8YwLmiKkyq5NFQcuziFpbC", "$2a$04$KKxhRJDZ986BMwus1xVcZ.Ee5TalsjBWZBAropdCtxH06JnOmi/f6"
	for _, c := range []struct {
		name, hash, pepper, password string
		want                         bool
	}{
		{"Rails", plain, "", password, true},
		{"Rails, a wrong password", plain, "", "another", false},
		{"version 2y", "$2y" + plain[3:], "", password, true},
		{"version 2b", "$2b" + plain[3:], "", password, true},
		{"Devise with its pepper", peppered, "pepper of devise", password, true},
		{"Devise with another pepper", peppered, "another pepper", password, false},
		{"Devise without its pepper", peppered, "", password, false},
		{"Rails with a pepper", plain, "pepper of devise", password, false},
		{"only the first 72 bytes count", mustNew(t, Bcrypt{Cost: 4}, strings.Repeat("x", 72)), "", strings.Repeat("x", 72) + "y", true},
	} {
		if got := mustRead(t, c.hash, ReadOptions{Pepper: c.pepper}).Matches(c.password); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
	}
}

// formats are cheap formats of each kind.
var formats = map[string]Format{
	"Argon2id":         Argon2id{Memory: 64, Passes: 1, Threads: 1},
	"argon2 of Django": Argon2id{Django: true, Memory: 64, Passes: 1, Threads: 8},
	"pbkdf2_sha256":    PBKDF2{Iterations: 1000},
	"scrypt":           Scrypt{N: 16, R: 8, P: 5},
	"bcrypt_sha256":    Bcrypt{Django: true, Cost: 4},
	"bcrypt":           Bcrypt{Cost: 4, Pepper: "salt and pepper"},
}

func mustNew(t *testing.T, f Format, password string) string {
	t.Helper()
	text, err := f.New(password)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAHashIsReadBack(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
			text := mustNew(t, f, password)
			if text == mustNew(t, f, password) {
				t.Error("two hashes of one password are equal")
			}
			h := mustRead(t, text, ReadOptions{Pepper: "salt and pepper"})
			if !h.Matches(password) || h.Matches("another") || !f.IsCurrent(h) {
				t.Errorf("%s does not match its own password, matches another one, or is not current", text)
			}
			for other, g := range formats {
				if other != name && g.IsCurrent(h) {
					t.Errorf("%s counts as %s", text, other)
				}
			}
			if f.Dummy().Matches("") || !f.IsCurrent(f.Dummy()) {
				t.Error("the dummy matches, or has another cost")
			}
		})
	}
}

// TestAHashIsRenewed: each case is read with another format than the one that is written.
func TestAHashIsRenewed(t *testing.T) {
	for _, c := range []struct {
		name   string
		stored string
		format Format
	}{
		{"another number of iterations", mustNew(t, PBKDF2{Iterations: 1001}, password), PBKDF2{Iterations: 1000}},
		{"a salt of 21 characters", "pbkdf2_sha256$1000$" + strings.Repeat("s", 21) + "$gNEqhwUkfy3JK78rxu2u3GY5vAR8j4kJDnqsYvd00r0=", PBKDF2{Iterations: 1000}},
		{"pbkdf2_sha1", "pbkdf2_sha1$1000$FRUH52dyKMCDZq04hVrqhu$fxWSjGvEyAOkftNV9MMZoYH2dZU=", PBKDF2{Iterations: 1000}},
		{"another cost of bcrypt", mustNew(t, Bcrypt{Cost: 5}, password), Bcrypt{Cost: 4}},
		{"bcrypt of Django without SHA-256", "bcrypt$" + mustNew(t, Bcrypt{Cost: 4}, password), Bcrypt{Django: true, Cost: 4}},
		{"another N", mustNew(t, Scrypt{N: 32, R: 8, P: 5}, password), Scrypt{N: 16, R: 8, P: 5}},
		{"another memory", mustNew(t, Argon2id{Memory: 128, Passes: 1, Threads: 1}, password), Argon2id{Memory: 64, Passes: 1, Threads: 1}},
		{"the Argon2 of Django", mustNew(t, Argon2id{Django: true, Memory: 64, Passes: 1, Threads: 1}, password), Argon2id{Memory: 64, Passes: 1, Threads: 1}},
	} {
		if c.format.IsCurrent(mustRead(t, c.stored, ReadOptions{})) {
			t.Errorf("%s counts as current", c.name)
		}
	}
}

// TestAFormatHashesThePasswordThatItsReaderHashes: Django hashes a password as typed, Trestle
// in the form NFKC.
func TestAFormatHashesThePasswordThatItsReaderHashes(t *testing.T) {
	const composed, decomposed = "caf\u00e9 xk2!vq", "cafe\u0301 xk2!vq"
	for name, f := range formats {
		h := mustRead(t, mustNew(t, f, composed), ReadOptions{Pepper: "salt and pepper"})
		if got, want := h.Matches(decomposed), name == "Argon2id"; got != want {
			t.Errorf("%s: the decomposed form matches: %v; want %v", name, got, want)
		}
	}
}

func TestPlainBcryptRejectsALongPassword(t *testing.T) {
	f := Bcrypt{Cost: 4, Pepper: "pepper"}
	if _, err := f.New(strings.Repeat("x", 66)); err != nil {
		t.Errorf("72 bytes with the pepper: %v", err)
	}
	if _, err := f.New(strings.Repeat("x", 67)); !errors.Is(err, ErrTooLong) {
		t.Errorf("73 bytes with the pepper: %v", err)
	}
	if err := (Bcrypt{Cost: 4, Pepper: strings.Repeat("p", 36)}).Check(); err == nil {
		t.Error("a pepper that leaves no room for the password is accepted")
	}
}

// TestAMalformedOrCostlyHashIsRejected: Read rejects it before any work, and the error does not
// repeat it.
func TestAMalformedOrCostlyHashIsRejected(t *testing.T) {
	part := base64.RawStdEncoding.EncodeToString(make([]byte, 32))
	tail := "$" + part + "$" + part
	key, bcryptTail := base64.StdEncoding.EncodeToString(make([]byte, 32)), strings.Repeat("a", 53)
	scryptKey := base64.StdEncoding.EncodeToString(make([]byte, 64))
	for name, stored := range map[string]string{
		"empty":                               "",
		"plain text":                          "password",
		"a very long text":                    "$argon2id$v=19$m=19456,t=2,p=1" + tail + strings.Repeat("A", 300),
		"MD5 of Django":                       "md5$salt$0123456789abcdef0123456789abcdef",
		"SHA-1 of Django":                     "sha1$salt$0123456789abcdef0123456789abcdef01234567",
		"crypt":                               "$6$salt$abcdefghijklmnop",
		"Argon2i outside of Django":           "$argon2i$v=19$m=19456,t=2,p=1" + tail,
		"Argon2d of Django":                   "argon2$argon2d$v=19$m=19456,t=2,p=1" + tail,
		"another version of Argon2":           "$argon2id$v=16$m=19456,t=2,p=1" + tail,
		"4 TiB of memory":                     "$argon2id$v=19$m=4294967295,t=2,p=1" + tail,
		"4 TiB of memory, of Django":          "argon2$argon2id$v=19$m=4294967295,t=2,p=1" + tail,
		"just too much memory":                "$argon2id$v=19$m=131073,t=1,p=1" + tail,
		"just too much work":                  "$argon2id$v=19$m=131072,t=3,p=1" + tail,
		"too little memory":                   "$argon2id$v=19$m=7,t=2,p=1" + tail,
		"memory under 8 per thread":           "$argon2id$v=19$m=31,t=2,p=4" + tail,
		"a number over 32 bits":               "$argon2id$v=19$m=4294986752,t=2,p=1" + tail,
		"a number over 64 bits":               "$argon2id$v=19$m=18446744073709571072,t=2,p=1" + tail,
		"a negative number":                   "$argon2id$v=19$m=19456,t=-1,p=1" + tail,
		"a leading zero":                      "$argon2id$v=19$m=019456,t=1,p=1" + tail,
		"many passes":                         "$argon2id$v=19$m=8,t=17,p=1" + tail,
		"no passes":                           "$argon2id$v=19$m=19456,t=0,p=1" + tail,
		"many threads":                        "$argon2id$v=19$m=19456,t=2,p=9" + tail,
		"no threads":                          "$argon2id$v=19$m=19456,t=2,p=0" + tail,
		"costs in another order":              "$argon2id$v=19$t=2,m=19456,p=1" + tail,
		"one cost too many":                   "$argon2id$v=19$m=19456,t=2,p=1,x=1" + tail,
		"one cost too few":                    "$argon2id$v=19$m=19456,t=2" + tail,
		"no key":                              "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$",
		"no salt":                             "$argon2id$v=19$m=19456,t=2,p=1$$" + part,
		"a long key":                          "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$" + base64.RawStdEncoding.EncodeToString(make([]byte, 65)),
		"one part too many":                   "$argon2id$v=19$m=19456,t=2,p=1" + tail + "$" + part,
		"a salt that is not base64":           "$argon2id$v=19$m=19456,t=2,p=1$!!!$" + part,
		"a key with padding":                  "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$" + part + "=",
		"something before the start":          "x$argon2id$v=19$m=19456,t=2,p=1" + tail,
		"too many iterations":                 "pbkdf2_sha256$5000001$salt$" + key,
		"no iterations":                       "pbkdf2_sha256$0$salt$" + key,
		"iterations with a sign":              "pbkdf2_sha256$+1000$salt$" + key,
		"iterations without a salt":           "pbkdf2_sha256$1000$$" + key,
		"a salt that is too long":             "pbkdf2_sha256$1000$" + strings.Repeat("s", 65) + "$" + key,
		"a key of PBKDF2 that is short":       "pbkdf2_sha256$1000$salt$AAAA",
		"a key of SHA-256 with SHA-1":         "pbkdf2_sha1$1000$salt$" + key,
		"PBKDF2 with three parts":             "pbkdf2_sha256$1000$" + key,
		"PBKDF2 with SHA-512":                 "pbkdf2_sha512$1000$salt$" + key,
		"N that is no power of two":           "scrypt$16383$salt$8$5$" + scryptKey,
		"a large N":                           "scrypt$262144$salt$1$1$" + scryptKey,
		"scrypt with too much memory":         "scrypt$131072$salt$9$1$" + scryptKey,
		"scrypt with too much work":           "scrypt$131072$salt$8$4$" + scryptKey,
		"scrypt with numbers that overflow":   "scrypt$131072$salt$131072$131072$" + scryptKey,
		"scrypt with five parts":              "scrypt$16384$salt$8$" + scryptKey,
		"a short key of scrypt":               "scrypt$16384$salt$8$5$" + key,
		"bcrypt with a high cost":             "$2b$16$" + bcryptTail,
		"bcrypt with the highest cost":        "bcrypt_sha256$$2b$31$" + bcryptTail,
		"bcrypt with a low cost":              "$2b$03$" + bcryptTail,
		"the faulty version of bcrypt":        "$2x$12$" + bcryptTail,
		"bcrypt with a short key":             "$2b$12$" + bcryptTail[1:],
		"bcrypt with a letter outside of its": "$2b$12$" + bcryptTail[1:] + "+",
		"Django's bcrypt without bcrypt":      "bcrypt$",
	} {
		t.Run(name, func(t *testing.T) {
			h, err := Read(stored, ReadOptions{})
			if !errors.Is(err, ErrHash) {
				t.Fatalf("%v, %v; want an error", h, err)
			}
			for _, secret := range []string{part, key, scryptKey, bcryptTail[1:]} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error repeats the hash: %v", err)
				}
			}
		})
	}
}

// TestTheBoundsOfAHash: costs and lengths are accepted up to their bounds.
func TestTheBoundsOfAHash(t *testing.T) {
	argon := func(cost string, salt, key int) string {
		part := func(length int) string { return base64.RawStdEncoding.EncodeToString(make([]byte, length)) }
		return "$argon2id$v=19$" + cost + "$" + part(salt) + "$" + part(key)
	}
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"the most memory", argon("m=131072,t=2,p=8", 64, 64), true},
		{"the most passes", argon("m=16384,t=16,p=8", 64, 64), true},
		{"all minima", argon("m=8,t=1,p=1", 8, 16), true},
		{"the minimum memory for two threads", argon("m=16,t=1,p=2", 8, 16), true},
		{"less memory", argon("m=15,t=1,p=2", 8, 16), false},
		{"a longer salt", argon("m=64,t=1,p=1", 65, 64), false},
		{"a shorter salt", argon("m=8,t=1,p=1", 7, 16), false},
		{"a longer key", argon("m=64,t=1,p=1", 64, 65), false},
		{"a shorter key", argon("m=8,t=1,p=1", 8, 15), false},
		{"the most iterations", "pbkdf2_sha256$5000000$s$" + base64.StdEncoding.EncodeToString(make([]byte, 32)), true},
		{"the most N", "scrypt$131072$s$8$3$" + base64.StdEncoding.EncodeToString(make([]byte, 64)), true},
		{"the highest cost of bcrypt", "$2b$15$" + strings.Repeat("a", 53), true},
		{"the lowest cost of bcrypt", "$2b$04$" + strings.Repeat("a", 53), true},
	} {
		if _, err := Read(c.text, ReadOptions{}); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAFormatOutOfBounds(t *testing.T) {
	for _, c := range []struct {
		format Format
		want   string
	}{
		{PBKDF2{Iterations: 999}, "pbkdf2_sha256: the number of iterations is 999; it must be from 1000 to 5000000"},
		{Bcrypt{Cost: 16}, "bcrypt: the cost is 16; it must be from 4 to 15"},
		{Scrypt{N: 3, R: 8, P: 1}, "scrypt: N is not a power of two"},
		{Argon2id{Memory: 1 << 20, Passes: 1, Threads: 1}, "argon2: m is 1048576; it must be from 8 to 131072"},
	} {
		if err := c.format.Check(); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v: %v; want %s", c.format, err, c.want)
		}
	}
}

// FuzzRead: a hash that is accepted is within the bounds, and its text is read back.
func FuzzRead(f *testing.F) {
	for _, format := range formats {
		if text, err := format.New(password); err == nil {
			f.Add(text)
		}
	}
	f.Add("!unusable")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Read(text, ReadOptions{})
		if err != nil {
			if !errors.Is(err, ErrHash) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		switch h := h.(type) {
		case argonHash:
			if h.cost.Check() != nil || h.String() != text {
				t.Errorf("%q was read as %s", text, h)
			}
		case pbkdf2Hash:
			if h.iterations > maxPBKDF2 || h.String() != text {
				t.Errorf("%q was read as %s", text, h)
			}
		case scryptHash:
			if h.cost.Check() != nil || h.String() != text {
				t.Errorf("%q was read as %s", text, h)
			}
		case bcryptHash:
			if h.cost > maxBcrypt {
				t.Errorf("%q was accepted", text)
			}
		}
	})
}

// pythonVariable names a Python with the packages of testdata/requirements.txt.
const pythonVariable = "TRESTLE_DJANGO_PYTHON"

// TestDjangoAcceptsTheHashes: Django accepts each hash that this package writes for it, and
// renews none of those with its own cost. "make django-hashes" runs it.
func TestDjangoAcceptsTheHashes(t *testing.T) {
	python := os.Getenv(pythonVariable)
	if python == "" {
		t.Skip(pythonVariable + " is not set; make django-hashes sets it")
	}
	type given struct {
		Password string `json:"password"`
		Hash     string `json:"hash"`
	}
	names := []string{"pbkdf2_sha256", "argon2", "scrypt", "bcrypt_sha256", "pbkdf2_sha256, a password in another form", "a wrong password"}
	preferred := PBKDF2{Iterations: 1_000_000}
	hashes := []given{
		{password, mustNew(t, preferred, password)},
		{password, mustNew(t, Argon2id{Django: true, Memory: 102400, Passes: 2, Threads: 8}, password)},
		{password, mustNew(t, Scrypt{N: 16384, R: 8, P: 5}, password)},
		{strings.Repeat("x", 100), mustNew(t, Bcrypt{Django: true, Cost: 12}, strings.Repeat("x", 100))},
		{"e\u0301t\u00e9", mustNew(t, preferred, "e\u0301t\u00e9")},
		{"another", mustNew(t, PBKDF2{Iterations: 1_000_000}, password)},
	}
	input, err := json.Marshal(hashes)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), python, "testdata/hashes.py", "check")
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	var answers []struct{ Accepted, Renews bool }
	if err := json.Unmarshal(stdout.Bytes(), &answers); err != nil || len(answers) != len(hashes) {
		t.Fatalf("%v: %s", err, &stdout)
	}
	for i, a := range answers {
		wrong := i == len(answers)-1
		other := !strings.HasPrefix(hashes[i].Hash, "pbkdf2_sha256$") // Django writes its first hasher
		if a.Accepted == wrong || a.Renews != (other && !wrong) {
			t.Errorf("%s: %s", names[i], fmt.Sprintf("%+v", a))
		}
	}
}
