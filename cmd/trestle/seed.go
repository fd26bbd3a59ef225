package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trestle.example/resources/clinic"
	"trestle.example/resources/store"
)

func (p *program) seedCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "seed [--scale N] [flags]",
		Short: "Fill the database with demo data",
		Long: `Seed makes the demo data of a clinic and of a store, and a user of each kind:
patients, doctors and appointments; products, orders in every state and a cart.
The records are the same each time; the users' passwords are random and printed
this once, on standard output.

A database that is a demo's already is left as it is: --force then adds the
records that are missing, gives the demo's users new passwords and revokes their
tokens. A database that has users and is not a demo's is refused without
--force. With TRESTLE_ENV=production nothing is ever seeded.`,
		Example: `  trestle seed
  trestle seed --scale 100 --force
  trestle seed --products 100000`,
	}, p.seed)
	c.Flags().Int("scale", 1, "`number` of times as many records: 200 patients, 600 appointments, 12 doctors and 120 products each")
	c.Flags().Int("patients", 0, "`number` of patients, whatever the scale")
	c.Flags().Int("appointments", 0, "`number` of appointments, whatever the scale")
	c.Flags().Int("products", 0, "`number` of products, whatever the scale")
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
		p.sayf("This database holds demo data already (%d patients, %d appointments, %d products, since %s); --force adds what is missing and gives new passwords.",
			w.before.Patients, w.before.Appointments, w.before.Products, day(&w.before.SeededAt))
		return nil
	})
}

// maxSeeds keeps a mistyped number from filling the disk.
const maxSeeds = 10_000_000

func sowingOf(cmd *cobra.Command) (*sowing, error) {
	scale, _ := cmd.Flags().GetInt("scale")
	force, _ := cmd.Flags().GetBool("force")
	if largest := maxSeeds / clinic.SeedAppointments; scale < 1 || scale > largest {
		return nil, misused("--scale is %d; it must be from 1 to %d", scale, largest)
	}
	w := sowingAt(scale)
	w.force = force
	for name, size := range map[string]*int{"patients": &w.clinic.Patients, "appointments": &w.clinic.Appointments, "products": &w.store.Products} {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if *size, _ = cmd.Flags().GetInt(name); *size < 1 || *size > maxSeeds {
			return nil, misused("--%s is %d; it must be from 1 to %d", name, *size, maxSeeds)
		}
	}
	return w, nil
}

// sowingAt is demo data of so many clinics' and stores' size.
func sowingAt(scale int) *sowing {
	return &sowing{
		clinic: clinic.SeedOptions{
			Doctors: scale * clinic.SeedDoctors, Patients: scale * clinic.SeedPatients, Appointments: scale * clinic.SeedAppointments,
		},
		store: store.SeedOptions{Products: scale * store.SeedProducts},
	}
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
	p.sayf("Seeded %d patients, %d appointments, %d products and %d users. Their passwords, shown this once:",
		w.clinic.Patients, w.clinic.Appointments, w.store.Products, len(w.users))
	return writeDemoUsers(p.stdout, w)
}

func writeDemoUsers(out io.Writer, w *sowing) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, u := range demoUsers() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", u.Email, w.users[u.Email].Reveal(), u.kind)
	}
	return table.Flush()
}
