// Package housekeeping does what an API needs beside its requests: it deletes kept answers that are old and contents that no row names,
// and ends the functions after commits.
package housekeeping

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/internal/attachment"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/table"
)

// Run keeps house until the context ends, and reports errors.
func Run(ctx context.Context, a *table.Registry, report func(error)) {
	defer endFunctions(ctx, a, report)
	once.NewKeyring(a).Run(ctx, report, func(ctx context.Context) error {
		_, err := attachment.NewSweeper(a).Sweep(ctx)
		return err
	})
}

// lastFunctions limits how long Run waits for functions after commits.
const lastFunctions = 5 * time.Second

// endFunctions waits for the functions after commits, and ends their context.
func endFunctions(ctx context.Context, a *table.Registry, report func(error)) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFunctions)
	defer cancel()
	if err := a.After.Close(ending); err != nil {
		report(fmt.Errorf("framework: functions after commits were not done at the end: %w", err))
	}
}
