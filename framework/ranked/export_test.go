package ranked

// Words splits a text, for the reference implementation in the tests.
func Words(text string) []string { return splitWords(text) }
