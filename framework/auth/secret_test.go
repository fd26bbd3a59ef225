package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestASecretIsNeverPrinted(t *testing.T) {
	const canary = "trs_canary"
	secret := NewSecret(canary)
	if secret.Reveal() != canary {
		t.Fatalf("Reveal returns %q", secret.Reveal())
	}
	type open struct{ S Secret }
	type closed struct{ s Secret }
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%5.2f"} {
		fmt.Fprintf(&out, verb+verb+verb+verb, secret, &secret, open{secret}, []Secret{secret})
		fmt.Fprintf(&out, verb+verb, closed{secret}, &closed{secret})
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("issued", "secret", secret, "open", open{secret}, "closed", closed{secret}, "pointer", &secret)
	}
	encoded, err := json.Marshal(open{secret})
	if err != nil || string(encoded) != `{"S":"[secret]"}` {
		t.Errorf("JSON is %s, %v", encoded, err)
	}
	if text := out.String(); strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) {
		t.Errorf("it was printed:\n%s", text)
	}
}

func TestUsersAndTokensPrintNoSecret(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		secret, record, err := w.users.IssueToken(w.ctx, w.s, user, "laptop", 0)
		w.must(err)
		row, err := findByEmail(w.ctx, w.s, user.Email)
		w.must(err)
		var out bytes.Buffer
		for _, v := range []any{user, record, secret, w.users, NewUser{Email: user.Email, Password: goodPassword}} {
			fmt.Fprintf(&out, "%v %+v %#v\n", v, v, v)
			slog.New(slog.NewJSONHandler(&out, nil)).Info("made", "it", v)
		}
		for name, hidden := range map[string]string{"token": secret.Reveal(), "hash": row.PasswordHash, "password": goodPassword} {
			if hidden == "" || strings.Contains(out.String(), hidden) {
				w.Errorf("the %s is in what was printed:\n%s", name, out.String())
			}
		}
	})
}
