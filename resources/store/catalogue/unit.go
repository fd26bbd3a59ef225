package catalogue

// A Unit is the unit in which a variant is measured or counted. The amount is in the label,
// "500 g". The table checks the unit too.
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
