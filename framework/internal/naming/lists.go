package naming

import (
	"slices"
	"strings"
)

// SplitList splits at commas and drops what is empty.
func SplitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Given makes an empty list differ from one that was never set.
func Given[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Inherited is the first of the lists that was set.
func Inherited[T any](lists ...[]T) []T {
	for _, l := range lists {
		if l != nil {
			return l
		}
	}
	return nil
}

// AddNew appends those of more that the list lacks.
func AddNew[T comparable](list, more []T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}
