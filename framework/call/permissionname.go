package call

// A PermissionName is the name of a permission in an input or a view, such as "patients.view". The
// API does not check it: check it with IsPermissionName of package framework. A console offers
// the permissions that the declarations name.
type PermissionName string

// JSONSchemaBytes returns the schema of a name.
func (PermissionName) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","maxLength":200,"pattern":"^[a-z][a-z0-9_-]*\\.[a-z][a-z0-9_-]*$","examples":["patients.view"]}`), nil
}
