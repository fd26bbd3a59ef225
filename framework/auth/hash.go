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
	"time"

	"golang.org/x/crypto/argon2"

	"trestle.example/framework"
	"trestle.example/framework/internal/fair"
)

// The cost of a new hash: 19 MiB, two passes, one thread, as the OWASP password storage
// cheat sheet recommends for argon2id.
const (
	hashMemory  = 19 * 1024 // KiB
	hashPasses  = 2
	hashThreads = 1
	hashSalt    = 16 // bytes
	hashKey     = 32 // bytes
)

// The maximum cost of a stored hash. Without these limits, an attacker who can write a
// hash into the table could cause seconds of work and gigabytes of memory.
const (
	maxHashText    = 256       // bytes of the whole string
	maxHashMemory  = 64 * 1024 // KiB
	maxHashPasses  = 4
	maxHashThreads = 4
	maxHashPart    = 64 // bytes of salt, and of key
	minHashSalt    = 8  // bytes
	minHashKey     = 16 // bytes
)

// hashQueue is how many hashes may wait, unless [Options] sets another number. In a
// longer queue clients would time out before their turn.
const hashQueue = 128

// errBusy is the error when the queue is full, and when a hash waited longer than
// hashWaitLimit. Every endpoint answers it to the client as it is. Nothing changes it.
var errBusy error = &framework.Error{
	Status: http.StatusServiceUnavailable, Code: framework.CodeUnavailable,
	Detail: "Too many passwords are being checked; try again in a second.",
	Header: map[string]string{"Retry-After": "1"},
}

// hashWaitLimit is how long a hash may wait for its turn.
const hashWaitLimit = 5 * time.Second

// wrongPasswordFine is the additional use of the fair queue that a wrong password counts as.
// So clients that guess passwords go after other clients.
const wrongPasswordFine = time.Second

// hashSlots is how many hashes are computed at once. Two are enough for several logins a
// second and bound the memory.
const hashSlots = 2

// errHash never repeats the hash: errors are logged.
var errHash = errors.New("a stored password hash is not an argon2id hash within the accepted bounds")

// A deriveFunc has the signature of argon2.IDKey.
type deriveFunc func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte

// A hasher hashes and compares passwords with argon2id (RFC 9106). It is safe for
// concurrent use. Callers wait for one of its slots in a fair queue: the client that used
// the slots least goes first, and a wrong password counts as additional use.
type hasher struct {
	slots  *fair.Queue
	derive deriveFunc
	dummy  argonHash
}

func newHasher(queue int) *hasher {
	return &hasher{
		slots:  fair.New(fair.Options{Slots: hashSlots, Timeout: hashWaitLimit, Depth: queue, HalfLife: time.Minute}),
		derive: argon2.IDKey,
		dummy:  currentCost(make([]byte, hashSalt), make([]byte, hashKey)),
	}
}

// checkReady returns [errBusy] if the queue would shed a hash for the client of a context now.
func (h *hasher) checkReady(ctx context.Context) error {
	if h.slots.Sheds(clientOf(ctx)) {
		return errBusy
	}
	return nil
}

// clientOf returns the client of a context with its address only, so that all callers at one
// address count as one client.
func clientOf(ctx context.Context) fair.Client {
	return fair.Client{Anonymous: true, Address: fair.ClientOf(ctx).Address}
}

// hash returns the hash of a normalised password as a PHC string.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, hashSalt)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	made := currentCost(salt, make([]byte, hashKey))
	key, err := h.key(ctx, password, made, func([]byte) bool { return true })
	if err != nil {
		return "", err
	}
	made.key = key
	return made.String(), nil
}

// verify reports whether stored is the hash of password, and whether the password should
// be hashed again because the cost changed. A wrong password is not an error; the client
// is charged for it. A stored hash that is malformed or too costly is an error, before any
// work. The other errors are those of [hasher.key].
func (h *hasher) verify(ctx context.Context, stored, password string) (ok, again bool, err error) {
	parsed, err := parseHash(stored)
	if err != nil {
		return false, false, err
	}
	_, err = h.key(ctx, password, parsed, func(key []byte) bool {
		ok = subtle.ConstantTimeCompare(key, parsed.key) == 1
		return ok
	})
	if err != nil {
		return false, false, err
	}
	return ok, ok && !parsed.isCurrent(), nil
}

// pretend does the same work as verify, for a user who does not exist, and charges the client
// for a wrong password. It returns the errors of [hasher.key].
func (h *hasher) pretend(ctx context.Context, password string) error {
	_, err := h.key(ctx, password, h.dummy, func([]byte) bool { return false })
	return err
}

// key waits for a slot and derives the key of password with the salt, the cost and the length of
// a. It passes the derived key to right, and returns it. If right returns false, the client is
// charged for a wrong password; that is no error. The error is [errBusy] if too many wait or the
// wait exceeds hashWaitLimit, and another one if ctx ends before the slot comes.
func (h *hasher) key(ctx context.Context, password string, a argonHash, right func(key []byte) bool) ([]byte, error) {
	turn, err := h.slots.Acquire(fair.Apart(ctx, clientOf(ctx))) // a queue of its own: not the one for connections
	switch {
	case errors.Is(err, fair.ErrOverloaded):
		return nil, errBusy
	case err != nil:
		return nil, fmt.Errorf("waiting to hash a password: %w", err)
	}
	defer turn.End()
	key := h.derive([]byte(password), a.salt, a.passes, a.memory, a.threads, uint32(len(a.key))) //nolint:gosec // parseHash bounds it
	if !right(key) {
		turn.EndFined(wrongPasswordFine)
	}
	return key, nil
}

// An argonHash is the content of a PHC string:
// $argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>, both in base64 without padding.
type argonHash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

func currentCost(salt, key []byte) argonHash {
	return argonHash{memory: hashMemory, passes: hashPasses, threads: hashThreads, salt: salt, key: key}
}

func (a argonHash) isCurrent() bool {
	return a.memory == hashMemory && a.passes == hashPasses && a.threads == hashThreads &&
		len(a.salt) == hashSalt && len(a.key) == hashKey
}

func (a argonHash) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, a.memory, a.passes, a.threads, encode(a.salt), encode(a.key))
}

// parseHash reads a PHC string. It returns [errHash] if the text is malformed or a cost is out
// of bounds.
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
