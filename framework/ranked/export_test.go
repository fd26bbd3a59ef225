package ranked

// Words is how text is taken apart, for the reference that the statements are
// held against.
func Words(text string) []string { return words(text) }
