package framework

import "trestle.example/framework/internal/declare"

// Select declares which members of its rows a client may choose, at Retrieve, List and actions of lists whose verb shows a view.
// A name is that of a member of the view, as clients see it. An unknown name in a request is the error 400 invalid_parameter.
// Members that [Sees] hides from the caller are absent, also if the client names them. Answers of writes have the members
// of a request without these parameters; functions, toggles and actions of Related have all members.
type Select struct {
	// Fields accepts the parameter fields, such as ?fields=id,name: rows have only these members, and the statement
	// reads no columns for others. All members of the view become optional in the OpenAPI document. Defaults to false.
	Fields bool
	// Expand lists members that rows have only if the parameter expand names them, such as ?expand=author,lines.product.
	// They are related rows, or values that the database computes. A name has at most two members: lines.product is the member product of the rows that
	// the member lines shows. To expand it expands lines too. Members in fields are expanded by it. Defaults to none.
	Expand []string
}

func (s Select) declare() declare.Select { return declare.Select(s) }
