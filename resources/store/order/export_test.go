package order

// What tests of the store see of it besides.
var (
	PlaceNumbered = placeNumbered
)
