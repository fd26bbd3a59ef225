package framework

import (
	"context"

	"trestle.example/framework/internal/prove"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/report"
)

// ProofOptions are what [API.Prove] needs beside the API.
type ProofOptions = fixture.Options

// A ProofCaller is a kind of caller of a proof: a user without permissions, one of the staff, a
// holder of some permissions, or a superuser.
type ProofCaller = exchange.Kind

// A Proof is the result of [API.Prove].
type Proof = report.Report

// A ProofFinding is a leak that a proof found, or an endpoint that it could not exercise.
type ProofFinding = report.Finding

// Prove tries to reach the rows of one caller as each other kind of caller, at every endpoint. The
// database must have its migrations and no rows but theirs. Prove fills it and deletes rows: use one
// that was made for it. It makes rows by requests, from the declarations of inputs and references,
// and compares the answers and the database. It returns what it tried and found. An error ends the
// proof, for example one of the database or of SignIn. The program's log has a line for each request.
//
// These are findings: a row, a part of a row, a count or a header of another's row in an answer; an
// answer that differs from that for a row which does not exist; a changed row; a caller who is not
// rejected although the declarations reject them, or rejected although they permit them; a status
// of 500 or more.
//
// Call it after [API.Handler]. Prove removes the throttles of the API, raises its quotas, and some of its requests have lists
// with pages of one row. Do not serve other requests meanwhile, because their changes would count as
// findings, nor afterwards.
func (a *API) Prove(ctx context.Context, o ProofOptions) (*Proof, error) {
	return prove.Run(ctx, a.registry, o)
}
