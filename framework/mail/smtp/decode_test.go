package smtp

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
)

// decode returns the text of a message.
func decode(t *testing.T, m *netmail.Message) string {
	t.Helper()
	body := m.Body
	switch m.Header.Get("Content-Transfer-Encoding") {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
