package accounts

import (
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
)

// NewJWTCommand returns the command jwt.
func NewJWTCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("jwt", "Make the keys that sign JWTs", newJwtKeygenCommand(run))
}

func newJwtKeygenCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "keygen [flags]",
		Short: "Make a key and print it, this once",
		Long: `Keygen makes a key from the system's random source and prints it alone on
standard output, in the form of {PROGRAM}_JWT_KEYS: kid:algorithm:key. It keeps it
nowhere and needs neither settings nor a database.

To rotate, put the new key first, where it signs, and keep the older ones behind
it, where they verify, until the refresh tokens that they signed have expired.`,
		Example: `  {PROGRAM}_JWT_KEYS="$({program} jwt keygen) ${PROGRAM}_JWT_KEYS"`,
	}, func(cmd *cobra.Command, _ []string) error {
		algorithm, _ := cmd.Flags().GetString("alg")
		kid, _ := cmd.Flags().GetString("kid")
		key, err := auth.GenerateKey(kid, algorithm)
		if err != nil {
			return exit.Misused("%w", err)
		}
		run.Sayf("This key is a secret: with it, a client can sign in as any user. Put it first in %s,\n"+
			"and keep the older keys there until their refresh tokens have expired.", run.Text(config.JWTKeysVariable))
		return run.Print(key.Reveal())
	})
	c.Flags().String("alg", auth.EdDSA, "`algorithm`: EdDSA, HS256 or RS256")
	c.Flags().String("kid", "", "`id` of the key, unlike that of any other; random if it is not given")
	return c
}
