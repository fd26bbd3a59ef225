package naming

import (
	"slices"
	"strings"
)

// SplitList splits a text at commas. It removes the white space around each part, and drops
// empty parts. Without parts it returns nil.
func SplitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Given returns list, or an empty list that is not nil if list is nil. [Inherited] then
// counts it as set.
func Given[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Inherited returns the first of the lists that is not nil, or nil. An empty list counts.
func Inherited[T any](lists ...[]T) []T {
	for _, l := range lists {
		if l != nil {
			return l
		}
	}
	return nil
}

// AddNew appends the elements of more that list lacks, each once.
func AddNew[T comparable](list, more []T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}
