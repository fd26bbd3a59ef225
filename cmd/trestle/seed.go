package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trestle.example/resources/clinic"
)

func (p *program) seedCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "seed [--scale N] [flags]",
		Short: "Fill the database with demo data",
		Long: `Seed makes demo patients, doctors and appointments, and a user of each kind. The
records are the same each time; the users' passwords are random and printed this
once, on standard output.

A database that is a demo's already is left as it is: --force then adds the
records that are missing, gives the demo's users new passwords and revokes their
tokens. A database that has users and is not a demo's is refused without
--force. With TRESTLE_ENV=production nothing is ever seeded.`,
		Example: `  trestle seed
  trestle seed --scale 100 --force`,
	}, p.seed)
	c.Flags().Int("scale", 1, "`number` of times as many records: 200 patients, 600 appointments and 12 doctors each")
	c.Flags().Int("patients", 0, "`number` of patients, whatever the scale")
	c.Flags().Int("appointments", 0, "`number` of appointments, whatever the scale")
	c.Flags().Bool("force", false, "seed a database that has data already")
	addSettings(c.Flags(), false)
	return c
}

func (p *program) seed(cmd *cobra.Command, _ []string) error {
	w, err := sowingOf(cmd)
	if err != nil {
		return err
	}
	return p.withMigrated(cmd.Context(), cmd.Flags(), func(s *site) error {
		if err := p.sow(cmd.Context(), s, w); err != nil || len(w.users) > 0 {
			return err
		}
		p.sayf("This database holds demo data already (%d patients, %d appointments, since %s); --force adds what is missing and gives new passwords.",
			w.before.Patients, w.before.Appointments, day(&w.before.SeededAt))
		return nil
	})
}

// maxSeeds keeps a mistyped number from filling the disk.
const maxSeeds = 10_000_000

func sowingOf(cmd *cobra.Command) (*sowing, error) {
	scale, _ := cmd.Flags().GetInt("scale")
	patients, _ := cmd.Flags().GetInt("patients")
	appointments, _ := cmd.Flags().GetInt("appointments")
	force, _ := cmd.Flags().GetBool("force")
	if largest := maxSeeds / clinic.SeedAppointments; scale < 1 || scale > largest {
		return nil, misused("--scale is %d; it must be from 1 to %d", scale, largest)
	}
	for name, n := range map[string]int{"patients": patients, "appointments": appointments} {
		if cmd.Flags().Changed(name) && (n < 1 || n > maxSeeds) {
			return nil, misused("--%s is %d; it must be from 1 to %d", name, n, maxSeeds)
		}
	}
	w := sowingAt(scale)
	w.force = force
	if patients > 0 {
		w.Patients = patients
	}
	if appointments > 0 {
		w.Appointments = appointments
	}
	return w, nil
}

// sowingAt is demo data of so many clinics' size.
func sowingAt(scale int) *sowing {
	return &sowing{SeedOptions: clinic.SeedOptions{
		Doctors: scale * clinic.SeedDoctors, Patients: scale * clinic.SeedPatients, Appointments: scale * clinic.SeedAppointments,
	}}
}

// sow seeds with a progress bar, and prints the passwords that it made.
func (p *program) sow(ctx context.Context, s *site, w *sowing) error {
	if s.production {
		return &exitError{exitUsage, errors.New("TRESTLE_ENV is production, where demo data is never made; seed with TRESTLE_ENV=development")}
	}
	bar := p.progressBar("Seeding")
	w.progress = bar.show
	err := s.sow(ctx, w)
	bar.end()
	if err != nil || len(w.users) == 0 {
		return err
	}
	p.sayf("Seeded %d patients, %d appointments and %d users. Their passwords, shown this once:", w.Patients, w.Appointments, len(w.users))
	return writeDemoUsers(p.stdout, w)
}

func writeDemoUsers(out io.Writer, w *sowing) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, u := range demoUsers() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", u.Email, w.users[u.Email].Reveal(), u.kind)
	}
	return table.Flush()
}
