package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Number returns a function that reads a whole number from least to most.
func Number(least, most int) func(value string) (int, error) {
	return func(value string) (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("it must be a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// Duration returns a function that reads a time with its unit, such as 90s or 1h30m, from
// least to most.
func Duration(least, most time.Duration) func(value string) (time.Duration, error) {
	return func(value string) (time.Duration, error) {
		d, err := time.ParseDuration(value)
		if err != nil || d < least || d > most {
			return 0, fmt.Errorf("it must be a time with its unit (ms, s, m, h) from %s to %s", least, most)
		}
		return d, nil
	}
}

// Switch reads on or off, or a word of the same meaning: true, false, 1, 0, yes, no. It
// ignores case.
func Switch(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "on", "true", "1", "yes":
		return true, nil
	case "off", "false", "0", "no":
		return false, nil
	}
	return false, errors.New("it must be on or off")
}
