package seed

// What tests of the demo data see of it besides.
var (
	Product    = newProduct
	CategoryOf = func(i int) (slug, name string) { return categoryOf(i).slug, categoryOf(i).name }
)
