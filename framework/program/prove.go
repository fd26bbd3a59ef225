package program

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// Prove opens the program on an empty database, migrates it, and tries to reach the rows of each
// caller as every other caller: see [framework.API.Prove]. It uses the defaults of all settings and
// no rates. A database that has tables is an error. Unless o has
// SignIn or the program ProofSignIn, callers are users with a token of package auth, and the API must accept
// [auth.Token]. It
// sets the Handler of o, and adds ProofCallers.
func (p Program) Prove(ctx context.Context, databaseURL string, o framework.ProofOptions) (*framework.Proof, error) {
	p = p.withDefaults()
	if err := p.mistakes(); err != nil {
		return nil, err
	}
	project := p.project()
	settings, err := project.Table().Read(pflag.NewFlagSet("prove", pflag.ContinueOnError), map[string]string{config.DatabaseVariable: databaseURL})
	if err != nil {
		return nil, err
	}
	silent := slog.New(slog.DiscardHandler)
	identity := settings.IdentityConfig(silent)
	identity.Rates = noRates()
	identity.Hashes.Write = auth.DjangoPBKDF2(cheapRounds)
	s, err := project.Open(settings, identity, silent)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := mustBeEmpty(ctx, s.DB); err != nil {
		return nil, err
	}
	if err := s.DB.Migrate(ctx, nil, p.Migrations...); err != nil {
		return nil, err
	}
	api := s.API()
	if o.Handler, err = api.Handler(); err != nil {
		return nil, err
	}
	switch {
	case o.SignIn != nil:
	case p.ProofSignIn != nil:
		o.SignIn = func(ctx context.Context, k framework.ProofCaller) (http.Header, *framework.Caller, error) {
			return p.ProofSignIn(ctx, newSite(s), k)
		}
	default:
		o.SignIn = signIn(s)
	}
	o.Callers = append(slices.Clip(o.Callers), p.ProofCallers...)
	return api.Prove(ctx, o)
}

// mustBeEmpty returns an error for a database that has tables, because a proof changes and deletes rows.
func mustBeEmpty(ctx context.Context, db *sqldb.DB) error {
	switch tables, err := db.Tables(ctx); {
	case err != nil:
		return err
	case len(tables) > 0:
		return fmt.Errorf("the database has the table %q: a proof needs an empty database, because it fills it and deletes rows", tables[0])
	}
	return nil
}

// noRates are rates that no proof reaches.
func noRates() map[string]throttle.Rate {
	rates := auth.DefaultRates()
	for scope := range rates {
		rates[scope] = throttle.Rate{Limit: 1_000_000, Per: time.Minute}
	}
	return rates
}

// signIn returns a function that makes users with a token.
func signIn(s *site.Site) func(context.Context, framework.ProofCaller) (http.Header, *framework.Caller, error) {
	return func(ctx context.Context, k framework.ProofCaller) (http.Header, *framework.Caller, error) {
		session := s.DB.Session()
		user, err := s.Users.CreateUser(ctx, session, auth.NewUser{
			Email: emailOf(k), Name: k.Name, Password: rand.Text(), Staff: k.Staff, Superuser: k.Superuser,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("making a user: %w", err)
		}
		if len(k.Permissions) > 0 {
			if err := s.Users.Grant(ctx, session, user.ID, k.Permissions...); err != nil {
				return nil, nil, fmt.Errorf("granting permissions: %w", err)
			}
		}
		secret, _, err := s.Users.IssueToken(ctx, session, user, "proof", time.Hour)
		if err != nil {
			return nil, nil, fmt.Errorf("issuing a token: %w", err)
		}
		if err := addSpares(ctx, s, user); err != nil {
			return nil, nil, err
		}
		caller, err := s.Users.Caller(ctx, session, user.ID, "proof")
		return http.Header{"Authorization": {"Token " + secret.Reveal()}}, caller, err
	}
}

// addSpares adds a token and a session that a caller of the proof may end and still send requests.
func addSpares(ctx context.Context, s *site.Site, user auth.User) error {
	if _, _, err := s.Users.IssueToken(ctx, s.DB.Session(), user, "spare", time.Hour); err != nil {
		return fmt.Errorf("issuing a token to end: %w", err)
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	spare := map[string]any{"id": uuid.Must(uuid.NewV7()), "user_id": user.ID, "key_hash": []byte(rand.Text()), "created_at": now, "last_seen_at": now}
	if _, err := s.DB.NewInsert().Model(&spare).Table("auth_sessions").Exec(ctx); err != nil {
		return fmt.Errorf("storing a session to end: %w", err)
	}
	return nil
}

// emailOf returns the e-mail address of a new caller: at the domain of the kind's, if it has one.
func emailOf(k framework.ProofCaller) string {
	domain := "example.com"
	if _, given, ok := strings.Cut(k.Email, "@"); ok {
		domain = given
	}
	return rand.Text() + "@" + domain
}

// cheapRounds is the least number of rounds of a hash: a proof makes hundreds of users, whose
// passwords are random and never used.
const cheapRounds = 1000
