package sqltext

import "strings"

// operations are what [Operation] distinguishes.
var operations = [...]string{"select", "insert", "update", "delete", "begin", "commit", "rollback"}

// changes are the operations that write, and that a part of WITH may be.
var changes = [...]string{"insert", "update", "delete"}

// Operation names what a statement does: one of operations, or "other". For a statement that
// begins with WITH it is the first of insert, update and delete in the text, else select.
func Operation(text string) string {
	text = strings.TrimLeft(text, " \t\r\n(")
	end := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || 'Z' < r && r < 'a' || 'z' < r })
	if end < 0 {
		end = len(text)
	}
	if strings.EqualFold(text[:end], "with") {
		return operationOfParts(text)
	}
	for _, known := range operations {
		if strings.EqualFold(text[:end], known) {
			return known
		}
	}
	return "other"
}

// operationOfParts returns the first of changes in a statement that begins with WITH, or
// "select". FOR UPDATE and FOR NO KEY UPDATE change nothing.
func operationOfParts(text string) string {
	before := ""
	for _, token := range sqlToken.FindAllString(text, -1) {
		if !isName(token) {
			continue
		}
		for _, known := range changes {
			if strings.EqualFold(token, known) && !strings.EqualFold(before, "for") && !strings.EqualFold(before, "key") {
				return known
			}
		}
		before = token
	}
	return "select"
}

// IsWrite reports whether the first word of a statement is INSERT, UPDATE, DELETE or
// REPLACE, in any case, and a space follows it. A statement that begins with WITH is not
// recognized.
func IsWrite(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n(")
	if end := strings.IndexAny(text, " \t\r\n"); end >= 0 {
		text = text[:end]
	}
	switch strings.ToUpper(text) {
	case "INSERT", "UPDATE", "DELETE", "REPLACE":
		return true
	}
	return false
}
