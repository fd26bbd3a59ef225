package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
)

func newProveCommand(run *command.Run, p Program) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "prove [--report FILE] [--database URL] [--random N] [--json]",
		Short: "Try to reach each caller's rows as every other caller",
		Long: `Prove makes users and rows on an empty database, by requests that it derives from
the declarations. Then it sends requests for these rows to every endpoint, as
every other kind of caller, and compares the answers and the database. It fails
if an answer, a count or a header differs between another's row and a row that
does not exist, if a row of another caller changes, if the access differs from the
declarations, or if an endpoint could not be exercised.

Prove fills the database that it uses, which must have no tables. Without
--database it uses a SQLite file that it deletes afterwards. It reads no settings.`,
		Example: `  {program} prove --report proof.html
  {program} prove --database postgres://localhost/empty --report proof.json`,
	}, func(cmd *cobra.Command, _ []string) error { return proveProgram(run, p, cmd) })
	c.Flags().String("database", "", "`URL` of an empty database; default a temporary SQLite file")
	c.Flags().Uint64("random", 1, "`number` that determines the requests")
	c.Flags().String("report", "", "`file` for the report: JSON if its name ends with .json, else a page")
	c.Flags().Bool("json", false, "print the report as JSON")
	return c
}

func proveProgram(run *command.Run, p Program, cmd *cobra.Command) error {
	databaseURL, _ := cmd.Flags().GetString("database")
	if databaseURL == "" {
		folder, err := os.MkdirTemp("", "proof")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		databaseURL = "sqlite:" + filepath.Join(folder, "proof.db")
	}
	seed, _ := cmd.Flags().GetUint64("random")
	bar := run.StartBar("Proving")
	proof, err := p.Prove(cmd.Context(), databaseURL, framework.ProofOptions{Seed: seed})
	bar.End()
	if err != nil {
		return err
	}
	if file, _ := cmd.Flags().GetString("report"); file != "" {
		if err := writeProof(file, proof); err != nil {
			return err
		}
	}
	if command.WantsJSON(cmd) {
		err = console.WriteJSON(run.Out, proof)
	} else {
		err = printProof(run, proof)
	}
	if err == nil && len(proof.Findings)+len(proof.Unexercised) > 0 {
		err = fmt.Errorf("%d findings, and %d endpoints were not exercised", len(proof.Findings), len(proof.Unexercised))
	}
	return err
}

// printProof prints the findings and a summary.
func printProof(run *command.Run, proof *framework.Proof) error {
	for _, f := range proof.Findings {
		if err := run.Print(f.String()); err != nil {
			return err
		}
	}
	for _, f := range proof.Unexercised {
		if err := run.Print("not exercised: " + f.String()); err != nil {
			return err
		}
	}
	if note := proof.UnsharedSentence(); note != "" {
		if err := run.Print(note); err != nil {
			return err
		}
	}
	return run.Print(fmt.Sprintf("seed %d: %d kinds of callers sent %d requests to %d endpoints: %d findings",
		proof.Seed, len(proof.Callers), proof.Requests, len(proof.Endpoints), len(proof.Findings)))
}

// writeProof writes the report to a file.
func writeProof(file string, proof *framework.Proof) error {
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".json") {
		err = console.WriteJSON(to, proof)
	} else {
		err = proof.WriteHTML(to)
	}
	return errors.Join(err, to.Close())
}
