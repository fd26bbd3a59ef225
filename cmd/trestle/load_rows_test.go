package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
)

// rowID is the id of a generated row. The series keeps the ids of patients, users
// and appointments apart.
func rowID(series, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-800%d-%012x", series, n))
}

const (
	patientRows = iota
	userRows
	appointmentRows
)

// Words from which the database makes names. Each takes wordWidth characters.
const wordWidth = 10

func fixedWidth(words string) (text string, n int) {
	all := strings.Fields(words)
	var b strings.Builder
	for _, w := range all {
		fmt.Fprintf(&b, "%-*s", wordWidth, w)
	}
	return b.String(), len(all)
}

const (
	givenNames = `Agnieszka Benjamin Camila Dmitri Elena Francesca Gabriel Hiroshi Isabella Javier Katarzyna Leila
		Mohammed Natasha Oliver Priya Rafael Santiago Takeshi Valentina Maria Olga Jo Chen`
	familyNames = `Garcia Nguyen Smith Patel Ibrahim Rossi Wang Fernandes Johansson Kowalski Nakamura Petrov Rodriguez
		Schmidt Thompson Virtanen Yamamoto Abbott Banerjee Castillo Desai Eriksson Fischer Gonzalez Hashimoto Ivanov
		Jansen Kapoor Lambert Macdonald Nielsen Okafor Popescu Ramirez Sanchez Tanaka Vasquez`
	cityNames = `Riverton Fairview Georgetown Salem Madison Clinton Arlington Ashland Dover Oxford Jackson Burlington
		Manchester Milton Newport Auburn Clayton Dayton Lexington Milford Oakland Winchester Cleveland Hudson Kingston`
)

// A maker makes rows in the database itself, which is the fastest way.
type maker struct {
	t  *testing.T
	db *sqldb.DB
}

// exec runs a statement. On SQLite a statement is a transaction.
func (m maker) exec(query string, args ...any) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Hour)
	defer cancel()
	if _, err := m.db.NewRaw(query, args...).Exec(ctx); err != nil {
		m.t.Fatalf("%.300s: %v", query, err)
	}
}

// id is the SQL of rowID of a number that is SQL, too.
func (m maker) id(series int, number string) string {
	prefix := rowID(series, 0).String()[:24]
	if m.db.Kind() == sqldb.SQLite {
		return fmt.Sprintf("printf('%s%%012x', %s)", prefix, number)
	}
	return fmt.Sprintf("('%s' || lpad(to_hex(%s), 12, '0'))::uuid", prefix, number)
}

// word is the SQL of one of some words, which a number that is SQL chooses.
func (m maker) word(words, number string) string {
	text, n := fixedWidth(words)
	return fmt.Sprintf("rtrim(substr('%s', 1 + %d * CAST((%s) %% %d AS integer), %d))", text, wordWidth, number, n, wordWidth)
}

// patients makes those with the numbers from first up to, but without, end. The
// owner of each is the user whose number is the SQL owner, in which i is the
// number of the patient.
func (m maker) patients(first, end int, owner string) {
	m.t.Helper()
	char := map[sqldb.Kind]string{sqldb.SQLite: "char", sqldb.PostgreSQL: "chr"}[m.db.Kind()]
	pad := map[sqldb.Kind]string{sqldb.SQLite: "printf('%07d', ", sqldb.PostgreSQL: "to_char("}[m.db.Kind()]
	digits := pad + "i * 7919 % 10000000)"
	if m.db.Kind() == sqldb.PostgreSQL {
		digits = pad + "i::bigint * 7919 % 10000000, 'FM0000000')"
	}
	m.exec(fmt.Sprintf(`INSERT INTO patients (id, owner_id, name, phone, city, search, created_at, updated_at)
		WITH RECURSIVE numbers (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < %d),
		made (i, name, phone, city) AS (SELECT i, %s || ' ' || %s, '+1-555-' || %s, %s FROM numbers)
		SELECT %s, %s, name, phone, city, lower(name) || %s(31) || phone, ?, ? FROM made`, first, end,
		m.word(givenNames, "i * 2654435761 / 1024"), m.word(familyNames, "i * 2246822519 / 4096"), digits,
		m.word(cityNames, "i * 3266489917 / 512"),
		m.id(patientRows, "i"), m.id(userRows, owner), char),
		longAgo(), longAgo())
}

// appointments makes one for each patient with the numbers from first up to, but
// without, end.
func (m maker) appointments(first, end int) {
	m.t.Helper()
	m.exec(fmt.Sprintf(`INSERT INTO appointments (id, patient_id, doctor_id, status, fee, starts_at, notes, created_at, updated_at)
		WITH RECURSIVE numbers (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < %d)
		SELECT %s, %s, (SELECT id FROM doctors ORDER BY id LIMIT 1), ?, 2000, ?, '', ?, ? FROM numbers`,
		first, end, m.id(appointmentRows, "i"), m.id(patientRows, "i")), clinic.Completed, longAgo(), longAgo(), longAgo())
}

// longAgo is when generated rows were made.
func longAgo() time.Time { return time.Date(2022, 1, 1, 10, 0, 0, 0, time.UTC) }

type userRow struct {
	bun.BaseModel `bun:"table:auth_users"`

	ID                             uuid.UUID `bun:",pk"`
	Email, Name, PasswordHash      string
	IsActive, IsStaff, IsSuperuser bool
	CreatedAt, UpdatedAt           time.Time
}

type tokenRow struct {
	bun.BaseModel `bun:"table:auth_tokens"`

	ID        uuid.UUID `bun:",pk"`
	UserID    uuid.UUID
	Name      string
	KeyHash   []byte
	Prefix    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

type groupRow struct {
	bun.BaseModel `bun:"table:auth_groups"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type grantRow struct {
	bun.BaseModel `bun:"table:auth_group_permissions"`

	GroupID    uuid.UUID
	Permission string
}

type memberRow struct {
	bun.BaseModel `bun:"table:auth_user_groups"`

	UserID, GroupID uuid.UUID
}

// tokenOfUser is the token of a generated user.
func tokenOfUser(n int) string { return fmt.Sprintf("trs_%043d", n) }

// users makes n users, each with a token and the password of another user. Those with
// even numbers hold patients.view by a group.
func (m maker) users(n int) {
	m.t.Helper()
	group := groupRow{ID: rowID(userRows, 1<<40), Name: "viewers of patients"}
	var hash string
	if err := m.db.NewRaw("SELECT min(password_hash) FROM auth_users").Scan(m.t.Context(), &hash); err != nil {
		m.t.Fatal(err)
	}
	var users []userRow
	var tokens []tokenRow
	var members []memberRow
	for i := range n {
		id, key := rowID(userRows, i), sha256.Sum256([]byte(tokenOfUser(i)))
		users = append(users, userRow{
			ID: id, Email: fmt.Sprintf("load%d@example.com", i), PasswordHash: hash, IsActive: true, CreatedAt: longAgo(), UpdatedAt: longAgo(),
		})
		tokens = append(tokens, tokenRow{
			ID: id, UserID: id, KeyHash: key[:], Prefix: "trs_load", CreatedAt: longAgo(), ExpiresAt: time.Now().UTC().Add(24 * time.Hour),
		})
		if i%2 == 0 {
			members = append(members, memberRow{UserID: id, GroupID: group.ID})
		}
	}
	for _, rows := range []any{&users, &tokens, &group, &grantRow{GroupID: group.ID, Permission: "patients.view"}, &members} {
		if _, err := m.db.NewInsert().Model(rows).Exec(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
	}
}
