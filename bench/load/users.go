package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"

	"github.com/google/uuid"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// makeUsers makes the two users with their tokens and returns the owner's id.
func makeUsers(ctx context.Context, s *sqldb.Session, o settings) (owner uuid.UUID, err error) {
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		return uuid.Nil, err
	}
	holder, err := makeUser(ctx, s, users, "holder@example.com", o.token)
	if err != nil {
		return uuid.Nil, err
	}
	group, err := users.CreateGroup(ctx, s, "bench",
		"patients.view", "patients.change", "patients.delete", "appointments.view", "appointments.change", "appointments.delete")
	if err != nil {
		return uuid.Nil, err
	}
	if err := users.Join(ctx, s, holder, group.ID); err != nil {
		return uuid.Nil, err
	}
	return makeUser(ctx, s, users, "owner@example.com", o.ownerToken)
}

// makeUser makes a user whose token is a given one: a random one is issued,
// and what is kept of it, its SHA-256, is replaced.
func makeUser(ctx context.Context, s *sqldb.Session, users *auth.Users, email, token string) (uuid.UUID, error) {
	user, err := users.CreateUser(ctx, s, auth.NewUser{Email: email, Password: rand.Text()})
	if err != nil {
		return uuid.Nil, err
	}
	_, record, err := users.IssueToken(ctx, s, user, "bench", 0)
	if err != nil {
		return uuid.Nil, err
	}
	hash := sha256.Sum256([]byte(token))
	_, err = s.Exec(ctx, s.IDB().NewUpdate().Model(&record).Set("key_hash = ?", hash[:]).WherePK())
	return user.ID, err
}
