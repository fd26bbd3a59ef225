package framework

import "trestle.example/framework/internal/declare"

// Slug declares a field with a short name for paths that the framework makes from another field: the
// title "Crème brûlée!" becomes "creme-brulee". Accents are removed; a text without Latin letters and
// digits becomes the end of the row's key, or random letters if the database generates the key.
//
// If another row has the slug, a number follows: "creme-brulee-2", up to 50, then a random one.
// Transactions that choose the same slug at the same time wait for each other. The column needs a
// unique index nevertheless, because other programs may write too; [API.MissingIndexes] reports it. A
// reserved value (see [ViewSet.Reserved]) counts as taken.
//
// Create and [Insert] set the slug, unless a function has set it, in every viewset of the model. No
// input may have the field.
type Slug struct {
	// Field is the field of the slug, a text of the model. Required.
	Field string
	// From is the field that the slug is made from, a text. Required.
	From string
	// Renew makes a new slug when From changes so that its slug is another one, by Update, Patch or
	// [Save]. Old links to the row then end. Defaults to false: the first slug stays.
	Renew bool
	// Max is how many characters the slug has at most, 10 to 200, its number included. Defaults to 50.
	Max int
}

func (s Slug) declare() declare.Slug { return declare.Slug(s) }
