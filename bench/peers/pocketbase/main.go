// pbpeer: PocketBase as a library, with a patients collection equal to the
// other servers'. Commands: seed CSV USERS TOKENFILE (fills a fresh --dir and
// writes a token for each of so many users, one a line), serve.
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
	"golang.org/x/crypto/bcrypt"
)

func seed(app core.App, csvPath string, n int, tokenPath string) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	app.Settings().Logs.MaxDays = 0 // no request log
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	users.AuthToken.Duration = 86400
	users.Fields.GetByName(core.FieldNamePassword).(*core.PasswordField).Cost = bcrypt.MinCost // no user signs in
	if err := app.Save(users); err != nil {
		return err
	}
	var tokens strings.Builder
	err = app.RunInTransaction(func(tx core.App) error {
		for i := range n {
			u := core.NewRecord(users)
			u.SetEmail(fmt.Sprintf("user%d@example.com", i))
			u.SetPassword("bench-password")
			if err := tx.Save(u); err != nil {
				return err
			}
			token, err := u.NewAuthToken()
			if err != nil {
				return err
			}
			tokens.WriteString(token + "\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(tokenPath, []byte(tokens.String()), 0o600); err != nil {
		return err
	}

	c := core.NewBaseCollection("patients")
	rule := types.Pointer(`@request.auth.id != ""`)
	c.ListRule, c.ViewRule, c.CreateRule, c.UpdateRule, c.DeleteRule = rule, rule, rule, rule, rule
	c.Fields.Add(
		&core.TextField{Name: "name", Required: true, Max: 120},
		&core.TextField{Name: "phone", Required: true, Max: 32},
		&core.TextField{Name: "city", Required: true, Max: 80},
		&core.AutodateField{Name: "created_at", OnCreate: true},
	)
	c.AddIndex("idx_patients_name", false, "name, id", "")
	c.AddIndex("idx_patients_city", false, "city", "")
	if err := app.Save(c); err != nil {
		return err
	}

	f, err := os.Open(csvPath)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f) // id,name,phone,city,created_at,owner, with a header
	if _, err := r.Read(); err != nil {
		return err
	}
	err = app.RunInTransaction(func(tx core.App) error {
		for {
			row, err := r.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			at, err := time.Parse(time.RFC3339, row[4])
			if err != nil {
				return err
			}
			_, err = tx.DB().Insert("patients", dbx.Params{
				"id": strings.Repeat("0", 15-len(row[0])) + row[0], "name": row[1], "phone": row[2], "city": row[3],
				"created_at": at.UTC().Format(types.DefaultDateLayout),
			}).Execute()
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	_, err = app.DB().NewQuery("ANALYZE").Execute() // as the other databases have it
	return err
}

func main() {
	// New takes a program in a temporary folder for one of "go run" and would print
	// every statement.
	app := pocketbase.NewWithConfig(pocketbase.Config{})
	app.RootCmd.AddCommand(&cobra.Command{
		Use: "seed CSV USERS TOKENFILE", Args: cobra.ExactArgs(3),
		Run: func(_ *cobra.Command, a []string) {
			n, err := strconv.Atoi(a[1])
			if err != nil {
				log.Fatal(err)
			}
			if err := seed(app, a[0], n, a[2]); err != nil {
				log.Fatal(err)
			}
		},
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}
