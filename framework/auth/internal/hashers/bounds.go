package hashers

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// The bounds of a stored hash. Without them, an attacker who can write a hash into the table
// could cause minutes of work and gigabytes of memory. Each hash within them takes at most a
// few seconds of one processor and 128 MiB.
const (
	maxText = 256 // bytes of the whole text
	maxPart = 64  // bytes of a salt and of a key
	minKey  = 16  // bytes

	maxArgonMemory  = 128 * 1024 // KiB
	maxArgonPasses  = 16
	maxArgonWork    = 256 * 1024 // KiB times passes
	maxArgonThreads = 8
	minArgonSalt    = 8 // bytes

	maxPBKDF2 = 5_000_000 // iterations

	maxScryptN      = 1 << 17
	maxScryptMemory = 128 << 20     // bytes: 128 times N times r
	maxScryptWork   = 3 * (1 << 20) // N times r times p

	maxBcrypt = 15 // the logarithm of the rounds
)

// readNumber reads a decimal number of a hash, without a sign or a leading zero.
func readNumber(format, name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text {
		return 0, wrong(format, name+" is not a number")
	}
	return n, checkNumber(format, name, n, least, most)
}

func checkNumber(format, name string, n, least, most int) error {
	if n < least || n > most {
		return wrong(format, fmt.Sprintf("%s is %d; it must be from %d to %d", name, n, least, most))
	}
	return nil
}

// readBytes decodes a salt or a key.
func readBytes(format, name, text string, encoding *base64.Encoding, least, most int) ([]byte, error) {
	part, err := encoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // which the decoder skips
		return nil, wrong(format, name+" is not base64")
	}
	if len(part) < least || len(part) > most {
		return nil, wrong(format, fmt.Sprintf("%s has %d bytes; it must have %d to %d", name, len(part), least, most))
	}
	return part, nil
}
