package accounts

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// user is the whole row of a user. No view has the hash.
type user struct {
	bun.BaseModel `bun:"table:auth_users,alias:account"`

	ID              uuid.UUID `bun:"id,pk"`
	Email           string
	Username        string `bun:",nullzero"`
	Name            string
	PasswordHash    string
	IsActive        bool
	IsStaff         bool
	IsSuperuser     bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
	EmailVerifiedAt *time.Time

	Memberships []*membership     `bun:"rel:has-many,join:id=user_id"`
	Permissions []*userPermission `bun:"rel:has-many,join:id=user_id"`
}

// newUser returns the row of a user of package auth.
func newUser(u auth.User, hash string) *user {
	return &user{
		ID: u.ID, Email: u.Email, Username: u.Username, Name: u.Name, PasswordHash: hash, IsActive: u.IsActive, IsStaff: u.IsStaff, IsSuperuser: u.IsSuperuser,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, EmailVerifiedAt: u.EmailVerifiedAt,
	}
}

// account returns the user as package auth has it.
func (u *user) account() auth.User {
	return auth.User{
		ID: u.ID, Email: u.Email, Username: u.Username, Name: u.Name, IsActive: u.IsActive, IsStaff: u.IsStaff, IsSuperuser: u.IsSuperuser,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, EmailVerifiedAt: u.EmailVerifiedAt,
	}
}

type group struct {
	bun.BaseModel `bun:"table:auth_groups,alias:team"`

	ID   uuid.UUID `bun:"id,pk"`
	Name string

	Permissions []*groupPermission `bun:"rel:has-many,join:id=group_id"`
	Members     []*membership      `bun:"rel:has-many,join:id=group_id"`
}

// membership is a row of the join table. It has no relations: bun finds the model of a join table by the name of
// the table, and package auth has a model of this table too.
type membership struct {
	bun.BaseModel `bun:"table:auth_user_groups"`

	UserID  uuid.UUID `bun:",pk"`
	GroupID uuid.UUID `bun:",pk"`
}

type userPermission struct {
	bun.BaseModel `bun:"table:auth_user_permissions"`

	UserID     uuid.UUID                `bun:",pk"`
	Permission framework.PermissionName `bun:",pk"`
}

type groupPermission struct {
	bun.BaseModel `bun:"table:auth_group_permissions"`

	GroupID    uuid.UUID                `bun:",pk"`
	Permission framework.PermissionName `bun:",pk"`
}

// token is an opaque token without its hash.
type token struct {
	bun.BaseModel `bun:"table:auth_tokens,alias:token"`

	ID         uuid.UUID `bun:"id,pk"`
	UserID     uuid.UUID
	User       *user `bun:"rel:belongs-to,join:user_id=id"`
	Name       string
	Prefix     string
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
}

// session is a session without its hash.
type session struct {
	bun.BaseModel `bun:"table:auth_sessions,alias:session"`

	ID         uuid.UUID `bun:"id,pk"`
	UserID     uuid.UUID
	User       *user `bun:"rel:belongs-to,join:user_id=id"`
	CreatedAt  time.Time
	LastSeenAt time.Time
}
