package store

// A Unit is what a variant is measured or counted in; how much of it there is
// stands in the label, "500 g". Inputs list the units in their tags, and the
// table checks them.
type Unit string

// The units: mass, volume and number.
const (
	Gram       Unit = "g"
	Kilogram   Unit = "kg"
	Millilitre Unit = "ml"
	Litre      Unit = "l"
	Piece      Unit = "piece"
	Pack       Unit = "pack"
	Dozen      Unit = "dozen"
	Bunch      Unit = "bunch"
)

// Enum lists the units.
func (Unit) Enum() []any {
	return []any{Gram, Kilogram, Millilitre, Litre, Piece, Pack, Dozen, Bunch}
}
