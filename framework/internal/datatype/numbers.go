package datatype

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
)

// ParseInt reads a decimal whole number that fits in bits. For a number out of range it returns
// the nearest in range, and an error that names the violated bound. A leading + is an error.
func ParseInt(text string, bits int) (int64, error) {
	n, err := strconv.ParseInt(text, 10, bits)
	if errors.Is(err, strconv.ErrRange) {
		return n, beyond(n, n < 0)
	}
	if err != nil || text[0] == '+' {
		return 0, naming.Sentence("must be a whole number")
	}
	return n, nil
}

// ParseUint is [ParseInt] for numbers of at least 0. It accepts at most 63 bits, because no
// database stores more in an integer.
func ParseUint(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, min(bits, 63))
	if errors.Is(err, strconv.ErrRange) {
		return n, beyond(n, false)
	}
	if below, _ := strconv.ParseInt(text, 10, 64); below < 0 {
		return 0, beyond(int64(0), true)
	}
	if err != nil && text != "-0" || text[0] == '+' {
		return 0, naming.Sentence("must be a whole number of at least 0")
	}
	return n, nil
}

// ParseFloat is [ParseInt] for a number with a fraction and an exponent, such as 1.5 or 15e-1.
// Infinity, NaN, hexadecimal digits, underscores and a leading + are errors.
func ParseFloat(text string, bits int) (float64, error) {
	most := math.MaxFloat64
	if bits == 32 {
		most = math.MaxFloat32
	}
	n, err := strconv.ParseFloat(text, bits)
	if strings.HasPrefix(text, "+") || strings.ContainsAny(text, "xX_") {
		return 0, naming.Sentence("must be a number")
	}
	switch {
	case errors.Is(err, strconv.ErrRange) && n < 0:
		return -most, beyond(-most, true)
	case errors.Is(err, strconv.ErrRange):
		return most, beyond(most, false)
	case err != nil || n != n || math.IsInf(n, 0):
		return 0, naming.Sentence("must be a number")
	}
	return n, nil
}

// beyond names the bound that a number violates.
func beyond[N int64 | uint64 | float64](bound N, below bool) error {
	if below {
		return fmt.Errorf("must be at least %v", bound)
	}
	return fmt.Errorf("must be at most %v", bound)
}
