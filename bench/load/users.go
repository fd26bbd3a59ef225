package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// The rows of a user. They are inserted directly: [auth.Users] would hash a
// password for each of them, which takes tens of milliseconds.
type (
	account struct {
		auth.User    `bun:",extend"`
		PasswordHash string // of no password
	}
	token struct {
		auth.TokenRecord `bun:",extend"`
		KeyHash          []byte
	}
	membership struct {
		bun.BaseModel   `bun:"table:auth_user_groups"`
		UserID, GroupID uuid.UUID
	}
)

// makeUsers inserts the users of a file with their tokens. Those with a 1 in the
// column holder are members of a group that holds the permissions.
func makeUsers(ctx context.Context, s *sqldb.Session, folder string) error {
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		return err
	}
	group, err := users.CreateGroup(ctx, s, "bench",
		"patients.view", "patients.change", "patients.delete", "appointments.view", "appointments.change", "appointments.delete")
	if err != nil {
		return err
	}
	var tokens []token
	var members []membership
	now := time.Now().UTC().Truncate(time.Microsecond)
	err = insertFile(ctx, s, filepath.Join(folder, "users.csv"), func(c columns) account {
		id, plain := c.id("id"), c.text("token")
		hash := sha256.Sum256([]byte(plain))
		tokens = append(tokens, token{auth.TokenRecord{ID: id, UserID: id, Name: "bench", CreatedAt: now}, hash[:]})
		if c.text("holder") == "1" {
			members = append(members, membership{UserID: id, GroupID: group.ID})
		}
		return account{User: auth.User{ID: id, Email: fmt.Sprintf("%s@example.com", id), IsActive: true, CreatedAt: now, UpdatedAt: now}}
	})
	if err != nil {
		return err
	}
	if err := insert(ctx, s, tokens); err != nil {
		return err
	}
	return insert(ctx, s, members)
}
