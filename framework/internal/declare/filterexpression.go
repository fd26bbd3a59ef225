package declare

// A FilterExpression has the fields that clients may use in expressions, the query parameter, and the limits of one
// expression; 0 for the default.
type FilterExpression struct {
	Fields         []string
	Param          string
	MaxLength      int
	MaxDepth       int
	MaxComparisons int
	MaxRelated     int
}
