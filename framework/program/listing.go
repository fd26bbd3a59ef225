package program

import (
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// jsonFlag adds --json to a command that lists.
func jsonFlag(c *cobra.Command) { c.Flags().Bool("json", false, "print a JSON array") }

func asJSON(cmd *cobra.Command) bool {
	is, _ := cmd.Flags().GetBool("json")
	return is
}

// A userLine is one user of "user list --json".
type userLine struct {
	ID          uuid.UUID `json:"id"`
	Email       string    `json:"email"`
	Name        string    `json:"name"`
	IsActive    bool      `json:"isActive"`
	IsStaff     bool      `json:"isStaff"`
	IsSuperuser bool      `json:"isSuperuser"`
	CreatedAt   time.Time `json:"createdAt"`
}

func lineOfUser(u auth.User) userLine {
	return userLine{u.ID, u.Email, u.Name, u.IsActive, u.IsStaff, u.IsSuperuser, u.CreatedAt.UTC()}
}

// A groupLine is one group of "group list --json".
type groupLine struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Permissions []string  `json:"permissions"`
	Members     int64     `json:"members"`
}

func lineOfGroup(g auth.GroupListing) groupLine {
	return groupLine{g.ID, g.Name, append([]string{}, g.Permissions...), g.Members}
}

// A tokenLine is one token of "token list --json": never the token itself.
type tokenLine struct {
	ID         uuid.UUID  `json:"id"`
	Prefix     string     `json:"prefix"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
}

func lineOfToken(t auth.TokenRecord) tokenLine {
	return tokenLine{t.ID, t.Prefix, t.Name, t.CreatedAt.UTC(), t.LastUsedAt, t.ExpiresAt}
}

// A migrationLine is one migration of "migrate status --json".
type migrationLine struct {
	Namespace string     `json:"namespace"`
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	AppliedAt *time.Time `json:"appliedAt"` // null while it is pending
	Changed   bool       `json:"changed"`
	Unknown   bool       `json:"unknown"`  // by another version of the program
	Breaking  bool       `json:"breaking"` // programs without it must not run on the schema
}

func lineOfMigration(m sqldb.Migration) migrationLine {
	line := migrationLine{Namespace: m.Namespace, ID: m.ID, Name: m.Name, Changed: m.Changed, Unknown: m.Unknown, Breaking: m.Breaking}
	if !m.AppliedAt.IsZero() {
		applied := m.AppliedAt.UTC()
		line.AppliedAt = &applied
	}
	return line
}
