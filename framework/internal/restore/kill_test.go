package restore_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
	"trestle.example/internal/proving"
)

// A Card is put, deleted and restored by its owner while the server is killed.
type Card struct {
	bun.BaseModel `bun:"table:cards"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Name      string
	Text      string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

type cardInput struct {
	Name string `json:"name" validate:"required"`
	Text string `json:"text"`
}

type cardView struct {
	ID uuid.UUID `json:"id"`
	cardInput
}

var cards = sqldb.Migrations{Namespace: "cards", FS: fstest.MapFS{
	"1_cards.tx.up.sql": {Data: []byte(`CREATE TABLE cards ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL, text {{text}} NOT NULL, deleted_at {{timestamp}});
CREATE UNIQUE INDEX card_names ON cards (name) WHERE deleted_at IS NULL;`)},
	"1_cards.tx.down.sql": {Data: []byte(``)},
}}

const servedDatabase = "TRESTLE_TEST_DATABASE"

// TestServesCards is the server that is killed: it serves the cards of a database, and writes its address.
func TestServesCards(t *testing.T) {
	if os.Getenv(servedDatabase) == "" {
		t.Skip("it is the server of TestKillsLoseNoDeletion")
	}
	db, err := sqldb.Open(os.Getenv(servedDatabase), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context(), nil, cards, framework.Migrations()); err != nil {
		t.Fatal(err)
	}
	api := framework.New(apitest.Config(db))
	api.Register(framework.ViewSet[Card]{
		Name: "cards", Verbs: framework.CRUD[cardInput, cardView](), Scope: framework.Own(func(c *Card) *uuid.UUID { return &c.OwnerID }),
		Uniques:    []framework.Unique{{Fields: []string{"name"}, Code: "name_taken", Detail: "Another card has this name."}},
		Permission: framework.Authenticated(), Bulk: framework.Bulk{Upsert: "name", Delete: true}, SoftDelete: framework.SoftDelete{Restore: framework.Authenticated()},
		History: framework.History{Permission: framework.Authenticated()}, Audit: framework.Reads{Permission: framework.Authenticated()},
	})
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("serving http://" + listener.Addr().String() + "\n")
	t.Fatal(http.Serve(listener, handler))
}

// TestKillsLoseNoDeletion kills a server while clients put several cards at once, delete and restore them. What an answer reported was
// done, a request without an answer was done as a whole or not at all, and each change has one entry of the history. Each answer that showed cards
// has an entry of the reads.
func TestKillsLoseNoDeletion(t *testing.T) {
	proving.Only(t, "kills servers")
	const kills, owners, changes = 20, 4, 60
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for kind, url := range map[string]string{"sqlite": "sqlite://" + t.TempDir() + "/cards.db", "postgresql": frameworktest.PostgresURL(t)} {
		t.Run(kind, func(t *testing.T) {
			done, reads := atomic.Int64{}, atomic.Int64{}
			var all []*dealer
			for i := range owners {
				all = append(all, &dealer{name: fmt.Sprint("owner", i), dice: rand.New(rand.NewPCG(seed, uint64(i)))})
			}
			for range kills {
				server := serveCards(t, url)
				var working sync.WaitGroup
				goal := done.Load() + changes
				for _, d := range all {
					working.Go(func() {
						for d.change(t, server.base, &reads) {
							if done.Add(1) == goal {
								_ = server.cmd.Process.Kill()
							}
						}
					})
				}
				working.Wait()
				_ = server.cmd.Wait()
				auditCards(t, url, all)
			}
			lost := 0
			for _, d := range all {
				lost += d.lost
			}
			if lost < kills {
				t.Errorf("%d answers were lost by %d kills, which is too few to prove anything", lost, kills)
			}
			t.Logf("FIGURE %s: %d kills, %d answers lost, %d changes acknowledged: 0 lost, 0 done in part, 0 entries missing or extra, %d reads recorded", kind, kills, lost, done.Load(), reads.Load())
		})
	}
}

type served struct {
	cmd  *exec.Cmd
	base string
}

// serveCards starts a server, and returns when it listens.
func serveCards(t *testing.T, url string) served {
	t.Helper()
	s := served{cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServesCards$")}
	s.cmd.Env = append(os.Environ(), servedDatabase+"="+url)
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, said := bufio.NewScanner(out), []string{}
	for lines.Scan() {
		said = append(said, lines.Text())
		if base, found := strings.CutPrefix(lines.Text(), "serving "); found {
			s.base = base
			return s
		}
	}
	t.Fatalf("the server does not start: %s", said)
	return s
}

// A dealt is a card as it should be: with its history, and dead if it is deleted.
type dealt struct {
	id, text string
	dead     bool
	log      string
}

// A dealer changes cards of its own, by the state that it expects. If an answer is lost, the change is either done or not.
type dealer struct {
	name     string
	dice     *rand.Rand
	cards    map[string][]dealt // by name; one at most is not deleted
	unsure   map[string][]dealt // after the change whose answer was lost; nil for none
	lost     int                // answers
	answered []string           // the requests whose answers showed cards
}

// texts are the cards in words, without their ids.
func texts(cards map[string][]dealt) string {
	var all []string
	for name, each := range cards {
		for _, c := range each {
			all = append(all, fmt.Sprint(name, " ", c.text, " ", c.dead, " ", c.log))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// live is the index of the card that is not deleted, -1 without one.
func live(each []dealt) int { return slices.IndexFunc(each, func(c dealt) bool { return !c.dead }) }

// change sends one request, and reports whether it was answered.
func (d *dealer) change(t *testing.T, base string, reads *atomic.Int64) bool {
	method, path, body, after := d.plan()
	sent, err := http.NewRequestWithContext(t.Context(), method, base+"/api/cards/"+path, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return false
	}
	sent.Header = http.Header{"Authorization": {"Name " + d.name}, "Content-Type": {"application/json"}}
	got, err := (&http.Client{Timeout: time.Minute}).Do(sent)
	var text []byte
	if err == nil {
		text, err = io.ReadAll(got.Body)
		_ = got.Body.Close()
	}
	if err != nil {
		d.unsure = after
		d.lost++
		return false
	}
	if got.StatusCode >= http.StatusMultipleChoices {
		t.Errorf("%s %s %s is answered %d %s", method, path, body, got.StatusCode, text)
		return false
	}
	if d.cards = after; len(text) > 0 {
		d.learn(text)
		d.answered = append(d.answered, got.Header.Get("X-Request-Id"))
		reads.Add(1)
	}
	return true
}

// learn notes the keys of the cards of an answer.
func (d *dealer) learn(text []byte) {
	var shown []cardView
	_ = json.Unmarshal(text, &shown)
	for _, c := range shown {
		d.cards[c.Name][live(d.cards[c.Name])].id = c.ID.String()
	}
}

// plan chooses a request, and returns the cards that there are after it.
func (d *dealer) plan() (method, path string, body []byte, after map[string][]dealt) {
	after = map[string][]dealt{}
	for name, each := range d.cards {
		after[name] = slices.Clone(each)
	}
	name := fmt.Sprint(d.name, " ", d.dice.IntN(4))
	each := after[name]
	switch at := live(each); {
	case at >= 0 && d.dice.IntN(3) == 0:
		each[at].dead, each[at].log = true, each[at].log+" deleted"
		return http.MethodDelete, each[at].id + "/", nil, after
	case at < 0 && len(each) > 0 && d.dice.IntN(2) == 0:
		back := d.dice.IntN(len(each))
		each[back].dead, each[back].log = false, each[back].log+" restored"
		return http.MethodPost, each[back].id + "/restore/", nil, after
	}
	var items []cardInput
	for i := range 1 + d.dice.IntN(3) {
		item := cardInput{fmt.Sprint(d.name, " ", i), strconv.FormatUint(d.dice.Uint64(), 10)}
		items = append(items, item)
		if at := live(after[item.Name]); at >= 0 {
			after[item.Name][at].text, after[item.Name][at].log = item.Text, after[item.Name][at].log+" updated"
		} else {
			after[item.Name] = append(after[item.Name], dealt{text: item.Text, log: "created"})
		}
	}
	body, _ = json.Marshal(items)
	return http.MethodPut, "bulk/", body, after
}

// auditCards compares what each dealer expects with the database, from which it takes the keys. It waits for the end of transactions of the
// killed server.
func auditCards(t *testing.T, url string, all []*dealer) {
	t.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	scan := func(into any, statement string, args ...any) {
		if err := db.NewRaw(statement, args...).Scan(t.Context(), into); err != nil {
			t.Fatal(err)
		}
	}
	for others := 1; db.Kind() == sqldb.PostgreSQL && others > 0; {
		scan(&others, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'")
	}
	for _, d := range all {
		var rows []struct {
			ID, Name, Text string
			Dead           bool
		}
		scan(&rows, "SELECT id, name, text, deleted_at IS NOT NULL AS dead FROM cards WHERE owner_id = ? ORDER BY id", apitest.ID(d.name))
		found := map[string][]dealt{}
		for _, row := range rows {
			var log []string
			scan(&log, "SELECT change FROM row_history WHERE viewset = 'cards' AND row_key = ? ORDER BY seq", row.ID)
			found[row.Name] = append(found[row.Name], dealt{row.ID, row.Text, row.Dead, strings.Join(log, " ")})
		}
		if got := texts(found); got != texts(d.cards) && (d.unsure == nil || got != texts(d.unsure)) {
			t.Errorf("the cards of %s are\n%s\nwant\n%s\nor\n%s", d.name, got, texts(d.cards), texts(d.unsure))
		}
		d.cards, d.unsure = found, nil
		var recorded []string
		scan(&recorded, "SELECT r.request FROM row_reads AS r WHERE caller = ? AND EXISTS (SELECT 1 FROM row_read_keys AS k WHERE k.request = r.request)", apitest.ID(d.name).String())
		slices.Sort(recorded)
		for _, id := range d.answered {
			if _, known := slices.BinarySearch(recorded, id); !known {
				t.Errorf("the answer to the request %s of %s showed cards, and has no entry of the reads", id, d.name)
			}
		}
	}
}
