package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"

	"trestle.example/framework"
)

// The cost of a new hash: 19 MiB, two passes, one thread, as the OWASP
// password storage cheat sheet recommends for argon2id.
const (
	hashMemory  = 19 * 1024 // KiB
	hashPasses  = 2
	hashThreads = 1
	hashSalt    = 16 // bytes
	hashKey     = 32 // bytes
)

// The most that a stored hash may ask for. Whoever can write a hash into the
// table must not be able to buy seconds of work or gigabytes with it.
const (
	maxHashText    = 256       // bytes of the whole string
	maxHashMemory  = 64 * 1024 // KiB
	maxHashPasses  = 4
	maxHashThreads = 4
	maxHashPart    = 64 // bytes of salt, and of key
	minHashSalt    = 8  // bytes
	minHashKey     = 16 // bytes
)

// hashQueue is how many hashes are computed or waited for at most, unless
// [Options] says otherwise: more would wait for seconds, and those who came first
// give up while others come.
const hashQueue = 64

// errBusy refuses a hash where the queue is full: whichever endpoint it is,
// its client is told to come again. It is not changed by anybody.
var errBusy error = &framework.Error{
	Status: http.StatusServiceUnavailable, Code: framework.CodeUnavailable,
	Detail: "Too many passwords are being checked; try again in a second.",
	Header: map[string]string{"Retry-After": "1"},
}

// hashSlots is how many hashes are computed at once: enough for a login a few
// times a second, and never more than a little memory.
const hashSlots = 2

// errHash never repeats the hash: errors end up in logs.
var errHash = errors.New("a stored password hash is not an argon2id hash within the accepted bounds")

// deriveFunc is argon2.IDKey.
type deriveFunc func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte

// hasher hashes and compares passwords with argon2id (RFC 9106). It is safe
// for concurrent use; callers wait for one of its slots, as many as the queue
// takes.
type hasher struct {
	slots  chan struct{}
	queue  chan struct{}
	derive deriveFunc
	dummy  argonHash
}

func newHasher(queue int) *hasher {
	return &hasher{
		slots:  make(chan struct{}, hashSlots),
		queue:  make(chan struct{}, queue),
		derive: argon2.IDKey,
		dummy:  currentCost(make([]byte, hashSalt), make([]byte, hashKey)),
	}
}

// ready is [errBusy] where a hash would be refused now.
func (h *hasher) ready() error {
	if len(h.queue) == cap(h.queue) {
		return errBusy
	}
	return nil
}

// hash returns password, normalised already, as a PHC string.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, hashSalt)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	made := currentCost(salt, make([]byte, hashKey))
	key, err := h.key(ctx, password, made)
	if err != nil {
		return "", err
	}
	made.key = key
	return made.String(), nil
}

// verify reports whether password made stored, and whether it should be hashed
// again because the cost has changed since. A stored hash that is malformed or
// too costly is an error, before any work.
func (h *hasher) verify(ctx context.Context, stored, password string) (ok, again bool, err error) {
	parsed, err := parseHash(stored)
	if err != nil {
		return false, false, err
	}
	key, err := h.key(ctx, password, parsed)
	if err != nil {
		return false, false, err
	}
	ok = subtle.ConstantTimeCompare(key, parsed.key) == 1
	return ok, ok && !parsed.current(), nil
}

// pretend does the work of verify for a user who is not there.
func (h *hasher) pretend(ctx context.Context, password string) error {
	_, err := h.key(ctx, password, h.dummy)
	return err
}

// key derives the key for password with the salt and cost of a.
func (h *hasher) key(ctx context.Context, password string, a argonHash) ([]byte, error) {
	if err := ctx.Err(); err != nil { // select picks at random when both are ready
		return nil, fmt.Errorf("hashing a password: %w", err)
	}
	select {
	case h.queue <- struct{}{}:
		defer func() { <-h.queue }()
	default:
		return nil, errBusy
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting to hash a password: %w", ctx.Err())
	}
	defer func() { <-h.slots }()
	return h.derive([]byte(password), a.salt, a.passes, a.memory, a.threads, uint32(len(a.key))), nil //nolint:gosec // parseHash bounds it
}

// An argonHash is what a PHC string says:
// $argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>, both in base64 without padding.
type argonHash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

func currentCost(salt, key []byte) argonHash {
	return argonHash{memory: hashMemory, passes: hashPasses, threads: hashThreads, salt: salt, key: key}
}

func (a argonHash) current() bool {
	return a.memory == hashMemory && a.passes == hashPasses && a.threads == hashThreads &&
		len(a.salt) == hashSalt && len(a.key) == hashKey
}

func (a argonHash) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, a.memory, a.passes, a.threads, encode(a.salt), encode(a.key))
}

// parseHash reads a PHC string and refuses costs out of bounds.
func parseHash(text string) (argonHash, error) {
	parts := strings.Split(text, "$")
	if len(text) > maxHashText || len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" ||
		parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return argonHash{}, errHash
	}
	a, ok := parseCost(parts[3])
	var saltOK, keyOK bool
	a.salt, saltOK = parsePart(parts[4], minHashSalt)
	a.key, keyOK = parsePart(parts[5], minHashKey)
	if !ok || !saltOK || !keyOK {
		return argonHash{}, errHash
	}
	return a, nil
}

// parseCost reads "m=19456,t=2,p=1".
func parseCost(text string) (argonHash, bool) {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return argonHash{}, false
	}
	threads, threadsOK := parseNumber(fields[2], "p=", 1, maxHashThreads)
	passes, passesOK := parseNumber(fields[1], "t=", 1, maxHashPasses)
	memory, memoryOK := parseNumber(fields[0], "m=", 8*threads, maxHashMemory)
	a := argonHash{memory: memory, passes: passes, threads: uint8(threads)} //nolint:gosec // parseNumber bounds it
	return a, threadsOK && passesOK && memoryOK
}

func parseNumber(text, prefix string, least, most uint32) (uint32, bool) {
	digits, found := strings.CutPrefix(text, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	if !found || err != nil || uint32(n) < least || uint32(n) > most {
		return 0, false
	}
	return uint32(n), true
}

func parsePart(text string, least int) ([]byte, bool) {
	part, err := base64.RawStdEncoding.Strict().DecodeString(text)
	return part, err == nil && len(part) >= least && len(part) <= maxHashPart
}
