package verb

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// ReadDeleted reports whether the parameters request deleted rows. If the caller may not see any, the error is 403, or 401
// for an anonymous caller.
func (e Handler) ReadDeleted(c *call.Call, values query.Values) (bool, error) {
	text := values[table.ParamDeleted]
	if e.Deleted == nil || text == "" {
		return false, nil
	}
	value, err := datatype.ParseValue(reflect.TypeFor[bool](), text)
	deleted, _ := value.(bool)
	switch {
	case err != nil:
		return false, problem.InvalidParameter(table.ParamDeleted, err.Error())
	case deleted && !e.Deleted.Permit(c):
		return false, fieldrule.Forbid(c, []problem.Fault{{
			Parameter: table.ParamDeleted, Code: problem.CodeForbidden, Detail: "needs a permission to see deleted rows",
		}})
	}
	return deleted, nil
}
