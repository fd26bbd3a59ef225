package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// An AccessToken is a row of the table access_token: it is that of a customer or of an employee.
type AccessToken struct {
	bun.BaseModel `bun:"table:access_token"`

	Digest     string `bun:",pk"`
	CustomerID *int32
	EmployeeID *int32

	Employee *Employee `bun:"rel:belongs-to,join:employee_id=employee_id"`
}

// digest is what the table has of a token.
func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Tokens recognises customers and employees by the header "Authorization: Token ...".
type Tokens struct{}

// CallerID implements [framework.Typed].
func (Tokens) CallerID() reflect.Type { return reflect.TypeFor[int32]() }

// Challenge implements [framework.Authenticator].
func (Tokens) Challenge() string { return `Token realm="chinook"` }

// Authenticate implements [framework.Authenticator]. An employee is staff; one who reports to no
// one is the general manager.
func (Tokens) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	words := strings.Fields(r.Header.Get("Authorization"))
	if len(words) == 0 || !strings.EqualFold(words[0], "Token") {
		return nil, nil
	}
	if len(words) != 2 || len(r.Header.Values("Authorization")) > 1 {
		return nil, framework.InvalidCredentials("The header is not the word Token, a space and a token.")
	}
	token := AccessToken{Digest: digest(words[1])}
	err := c.DB.NewSelect().Model(&token).WherePK().Relation("Employee").Scan(c)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, framework.InvalidCredentials("The token is unknown.")
	}
	if err != nil {
		return nil, err
	}
	if token.CustomerID != nil {
		return &framework.Caller{ID: *token.CustomerID, Scheme: "Token"}, nil
	}
	return &framework.Caller{ID: *token.EmployeeID, Staff: true, Superuser: token.Employee.ReportsTo == nil, Scheme: "Token"}, nil
}
