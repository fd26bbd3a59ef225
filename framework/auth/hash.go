package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth/internal/hashers"
	"trestle.example/framework/internal/fair"
)

// The cost of a new hash: 19 MiB, two passes, one thread, as the OWASP password storage
// cheat sheet recommends for argon2id.
const (
	hashMemory  = 19 * 1024 // KiB
	hashPasses  = 2
	hashThreads = 1
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

// A HashFormat is how new password hashes are written. The zero HashFormat is that of
// [Argon2id]. It is safe for concurrent use.
type HashFormat struct{ format hashers.Format }

// Argon2id is the default: a PHC string of Argon2id (RFC 9106) with 19 MiB, two passes and one
// thread. A password is hashed in the Unicode form NFKC.
func Argon2id() HashFormat {
	return HashFormat{hashers.Argon2id{Memory: hashMemory, Passes: hashPasses, Threads: hashThreads}}
}

// DjangoPBKDF2 is the format pbkdf2_sha256 of Django, its default. Use it with the number of
// iterations of the Django version that runs beside this program, such as 1,000,000 for
// Django 5.2: each of the two hashes a password again whose number is another one. iterations is
// from 1000 to 5,000,000.
func DjangoPBKDF2(iterations int) HashFormat {
	return HashFormat{hashers.PBKDF2{Iterations: iterations}}
}

// DjangoArgon2 is the format argon2 of Django with the cost that Django 5 uses: 100 MiB, two
// passes, eight threads. Where the Python package argon2-cffi is missing, Django cannot check
// it, and the user cannot sign in there.
func DjangoArgon2() HashFormat {
	return HashFormat{hashers.Argon2id{Django: true, Memory: 100 * 1024, Passes: 2, Threads: 8}}
}

// DjangoScrypt is the format scrypt of Django with the cost that Django 5 uses: N 16384, r 8,
// p 5.
func DjangoScrypt() HashFormat { return HashFormat{hashers.Scrypt{N: 1 << 14, R: 8, P: 5}} }

// DjangoBcrypt is the format bcrypt_sha256 of Django. cost is the logarithm of the number of
// rounds, from 4 to 15; Django uses 12.
func DjangoBcrypt(cost int) HashFormat { return HashFormat{hashers.Bcrypt{Django: true, Cost: cost}} }

// Bcrypt is plain bcrypt, as Rails and Devise store it. cost is the logarithm of the number of
// rounds, from 4 to 15; both use 12. A new password may have at most 72 bytes, the pepper
// included.
func Bcrypt(cost int) HashFormat { return HashFormat{hashers.Bcrypt{Cost: cost}} }

// HashOptions state how password hashes are read and written. Every format of this package is
// read without an option: Argon2id, the formats of Django (pbkdf2_sha256, pbkdf2_sha1, argon2,
// scrypt, bcrypt, bcrypt_sha256, and "!" for no password) and plain bcrypt ($2a$, $2b$, $2y$).
// A hash of another format, and one whose cost is out of bounds, is an error before any work. Its
// user cannot sign in; the audit log has the reason "hash".
type HashOptions struct {
	// Write is the format of new hashes. A password whose hash has another format or another
	// cost is hashed again when its user signs in. Defaults to [Argon2id]. While Django runs
	// on the same table, use a format of Django.
	Write HashFormat
	// Unknown is the format whose work is done for an account that does not exist, so that the
	// time of an answer does not disclose which accounts exist. Defaults to Write. While most
	// accounts still have hashes of another format, set that one.
	Unknown HashFormat
	// Pepper is appended to each password before it is compared with a plain bcrypt hash, as
	// config.pepper of Devise. Defaults to none.
	Pepper Secret
}

// complete fills in the defaults and checks the formats.
func (o *HashOptions) complete() error {
	if o.Write.format == nil {
		o.Write = Argon2id()
	}
	if o.Unknown.format == nil {
		o.Unknown = o.Write
	}
	for i, f := range []*HashFormat{&o.Write, &o.Unknown} { // Unknown may be Write, whose mistake comes first
		if plain, ok := f.format.(hashers.Bcrypt); ok && !plain.Django {
			plain.Pepper = o.Pepper.Reveal()
			f.format = plain
		}
		if err := f.format.Check(); err != nil {
			return fmt.Errorf("auth.HashOptions.%s: %w", []string{"Write", "Unknown"}[i], err)
		}
	}
	return nil
}

// A hasher hashes and compares passwords. It is safe for concurrent use. Callers wait for one
// of its slots in a fair queue: the client that used the slots least goes first, and a wrong
// password counts as additional use.
type hasher struct {
	slots  *fair.Queue
	run    func(work func()) // calls work; for tests
	write  hashers.Format
	read   hashers.ReadOptions
	nobody hashers.Hash
}

// newHasher returns a hasher with complete options.
func newHasher(queue int, o HashOptions) *hasher {
	return &hasher{
		slots:  fair.New(fair.Options{Slots: hashSlots, Timeout: hashWaitLimit, Depth: queue, HalfLife: time.Minute}),
		run:    func(work func()) { work() },
		write:  o.Write.format,
		read:   hashers.ReadOptions{Pepper: o.Pepper.Reveal()},
		nobody: o.Unknown.format.Dummy(),
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

// hash returns a new hash of a password. A password that the format cannot hash is an
// [InputError].
func (h *hasher) hash(ctx context.Context, password string) (text string, err error) {
	waited := h.inTurn(ctx, func() bool {
		text, err = h.write.New(password)
		return true
	})
	if waited != nil {
		return "", waited
	}
	if errors.Is(err, hashers.ErrTooLong) {
		err = invalid("password", "too_long", "The password is too long; it may have at most 72 bytes.")
	}
	return text, err
}

// verify reports whether stored is the hash of password, and whether the password should
// be hashed again because the format or the cost changed. A wrong password is not an error; the
// client is charged for it. A stored hash that is malformed or too costly is an error, before
// any work. The other errors are those of [hasher.inTurn].
func (h *hasher) verify(ctx context.Context, stored, password string) (ok, again bool, err error) {
	read, err := hashers.Read(stored, h.read)
	if err != nil {
		return false, false, err
	}
	if _, none := read.(hashers.Unusable); none {
		return false, false, h.pretend(ctx, password)
	}
	err = h.inTurn(ctx, func() bool {
		ok = read.Matches(password)
		return ok
	})
	return ok, ok && !h.write.IsCurrent(read), err
}

// pretend does the same work as verify, for a user who does not exist, and charges the client
// for a wrong password. It returns the errors of [hasher.inTurn].
func (h *hasher) pretend(ctx context.Context, password string) error {
	return h.inTurn(ctx, func() bool {
		h.nobody.Matches(password)
		return false
	})
}

// inTurn waits for a slot and runs work in it. If work returns false, the client is charged for
// a wrong password; that is no error. The error is [errBusy] if too many wait or the wait
// exceeds hashWaitLimit, and another one if ctx ends before the slot comes.
func (h *hasher) inTurn(ctx context.Context, work func() (right bool)) error {
	turn, err := h.slots.Acquire(fair.Apart(ctx, clientOf(ctx))) // a queue of its own: not the one for connections
	switch {
	case errors.Is(err, fair.ErrOverloaded):
		return errBusy
	case err != nil:
		return fmt.Errorf("waiting to hash a password: %w", err)
	}
	defer turn.End()
	right := false
	h.run(func() { right = work() })
	if !right {
		turn.EndFined(wrongPasswordFine)
	}
	return nil
}
