package declare

// Quota limits the rows of an owner. Without Rows, the viewset declares nothing.
type Quota struct{ Rows int }
