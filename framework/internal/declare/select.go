package declare

// Select says which members of rows a client may choose: any by the parameter fields, and those of Expand
// by the parameter expand, which are absent otherwise.
type Select struct {
	Fields bool
	Expand []string
}

// Offered reports whether clients may choose anything.
func (s Select) Offered() bool { return s.Fields || len(s.Expand) > 0 }
