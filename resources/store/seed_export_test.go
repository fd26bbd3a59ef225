package store

// What tests of the demo data see of it besides.
var (
	SeedProduct = seedProduct
	SeedShelfOf = func(i int) (slug, name string) { return seedShelfOf(i).slug, seedShelfOf(i).name }
)
