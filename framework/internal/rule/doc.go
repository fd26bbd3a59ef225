// Package rule has the rules of validate tags: it parses a tag, applies its rules to values,
// and describes them in sentences.
package rule
