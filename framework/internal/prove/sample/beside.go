package sample

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Beside returns a value of the form of another one, so close to it that no third value is between them: a whole number that is greater
// by a number, or a text whose last character is that number of characters further. A value of another form stays as it is.
func Beside(value string, by int) string {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
		return strconv.FormatInt(n+int64(by), 10)
	}
	name, _, _ := strings.Cut(value, "@")
	if name == "" {
		return value
	}
	rings := []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
	if uuid.Validate(value) == nil {
		rings = []string{"0123456789abcdef", "0123456789ABCDEF"}
	}
	last := name[len(name)-1:]
	for _, ring := range rings {
		if at := strings.Index(ring, last); at >= 0 {
			return name[:len(name)-1] + string(ring[(at+by)%len(ring)]) + value[len(name):]
		}
	}
	return value
}
