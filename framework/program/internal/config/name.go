package config

import "strings"

// A Name is the name of a program. The name is part of texts and of variables.
type Name string

// Text completes a text: {program} stands for the name, and {PROGRAM} for the beginning
// of the names of the program's variables.
func (n Name) Text(with string) string {
	variables := strings.ToUpper(strings.ReplaceAll(string(n), "-", "_"))
	return strings.NewReplacer("{program}", string(n), "{PROGRAM}", variables).Replace(with)
}

// The variables that other packages name too, and the prefix of the program's own variables.
// [Name.Text] completes those with {PROGRAM}.
const (
	prefix           = "{PROGRAM}_"
	JWTKeysVariable  = prefix + "JWT_KEYS"
	PasswordVariable = prefix + "PASSWORD" // the password that a command sets
	CORSVariable     = prefix + "CORS_ORIGINS"
	DatabaseVariable = "DATABASE_URL"
	ReplicaVariable  = "DATABASE_REPLICA_URL"
)
