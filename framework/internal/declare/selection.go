package declare

// A Selection is how Find orders and limits its rows.
type Selection struct {
	Order  []string // terms such as "-created_at"; empty for the default order
	Limits int      // how many options set a limit; at most one may
	Rows   int      // of a page
	Page   int      // its number, from 1
}
