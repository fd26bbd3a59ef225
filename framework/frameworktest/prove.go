package frameworktest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
)

// A Provable is a program that can prove on an empty database that no caller reaches another's
// rows. program.Program is one.
type Provable interface {
	Prove(ctx context.Context, databaseURL string, o framework.ProofOptions) (*framework.Proof, error)
}

// ProofMatrix is the file with the access that each caller had to every endpoint when the
// program was last proved, in the folder of the test.
const ProofMatrix = "testdata/access.txt"

// Prove tries to reach the rows of each caller as every other caller, on both databases. It fails
// with each leak and the request that shows it, and for each endpoint that it could not exercise.
// [framework.API.Prove] documents what is tried.
//
// It compares the access of each caller by the declarations with the file [ProofMatrix], and fails
// if they differ: a permission or a scope has changed. Read the difference, and delete the file to
// accept it. If there is no file, Prove writes it; keep it with the source. If the variable CI is set, a
// missing file is a failure.
//
// Each run sends the same requests. The variable TRESTLE_SEED, a number, selects others.
func Prove(t *testing.T, p Provable) {
	t.Helper()
	o := framework.ProofOptions{Seed: proofSeed(t)}
	t.Run("sqlite", func(t *testing.T) { prove(t, p, "sqlite:"+filepath.Join(t.TempDir(), "proof.db"), o) })
	t.Run("postgresql", func(t *testing.T) { prove(t, p, PostgresURL(t), o) })
}

// proofSeed returns the seed of [Prove].
func proofSeed(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv("TRESTLE_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		tb.Fatalf("TRESTLE_SEED is %q; it is a number, such as 7", text)
	}
	return seed
}

func prove(t *testing.T, p Provable, databaseURL string, o framework.ProofOptions) {
	t.Helper()
	proof, err := p.Prove(t.Context(), databaseURL, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range proof.Findings {
		t.Errorf("%s", f)
	}
	for _, f := range proof.Unexercised {
		t.Errorf("not exercised: %s", f)
	}
	compareMatrix(t, proof.Matrix())
	if note := proof.UnsharedSentence(); note != "" {
		t.Log(note)
	}
	t.Logf("seed %d: %d requests to %d endpoints by %d kinds of callers", proof.Seed, proof.Requests, len(proof.Endpoints), len(proof.Callers))
}

// compareMatrix compares the access with the file, or writes the file.
func compareMatrix(tb testing.TB, now string) {
	tb.Helper()
	known, err := os.ReadFile(ProofMatrix)
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") != "" {
			tb.Errorf("%s is missing: run the test on your machine, and keep the file that it writes with the source", ProofMatrix)
			return
		}
		if err = os.MkdirAll(filepath.Dir(ProofMatrix), 0o750); err == nil {
			err = os.WriteFile(ProofMatrix, []byte(now), 0o600)
		}
		tb.Logf("wrote %s: read it, and keep it with the source", ProofMatrix)
	}
	if err != nil {
		tb.Fatal(err)
	}
	if string(known) == now || known == nil {
		return
	}
	had, has := missingLines(string(known), now), missingLines(now, string(known))
	if len(had)+len(has) == 0 { // viewsets are registered in another order
		return
	}
	for _, line := range had {
		tb.Errorf("%s had: %s", ProofMatrix, line)
	}
	for _, line := range has {
		tb.Errorf("it is now: %s", line)
	}
	tb.Errorf("the access to endpoints has changed. If that is right, delete %s and run the test again", ProofMatrix)
}

// missingLines lists the lines of a text that another text lacks, white space aside.
func missingLines(text, another string) (lines []string) {
	there := map[string]bool{}
	for line := range strings.Lines(another) {
		there[strings.Join(strings.Fields(line), " ")] = true
	}
	for line := range strings.Lines(text) {
		if plain := strings.Join(strings.Fields(line), " "); !there[plain] {
			lines = append(lines, plain)
		}
	}
	return lines
}
