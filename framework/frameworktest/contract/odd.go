package contract

import (
	"encoding/json"
	"strconv"
	"strings"
)

// bodyLimit is the maximum length of a body, in bytes.
const bodyLimit = 1 << 20

// oddities are the values that spoil requests.
type oddities struct{ values, numbers, texts, bodies, queries, media, headers []string }

func newOddities() *oddities {
	return &oddities{oddValues(), oddNumbers(), oddTexts(), oddBodies(), oddQueries(), oddMedia(), oddHeaders()}
}

// oddValue returns JSON that is rarely valid anywhere.
func (m maker) oddValue() string {
	switch m.dice.IntN(4) {
	case 0:
		return quote(oneOf(m, m.odd.texts)).raw
	case 1:
		return oneOf(m, m.odd.numbers)
	}
	return oneOf(m, m.odd.values)
}

// nearby returns a value slightly above, below or beside a valid one.
func (m maker) nearby(good *node) string {
	text := ""
	if json.Unmarshal([]byte(good.raw), &text) == nil {
		long := strings.Repeat("x", oneOf(m, []int{32, 100, 120, 200, 255, 256, 500, 1000, 2048, 4000, 10000})+m.dice.IntN(3)-1)
		return quote(oneOf(m, []string{
			text + "x", " " + text + "\t", strings.ToUpper(text), text[:len(text)/2], long, strings.Repeat("🙂", len(long)), text + "\n", "\u00a0" + text,
		})).raw
	}
	if n, err := strconv.ParseFloat(good.raw, 64); err == nil {
		return strconv.FormatFloat(oneOf(m, []float64{n + 1, n - 1, -n, n + 0.5, n + 0.001, n * 1e6, n * 1e12}), 'f', -1, 64)
	}
	return oneOf(m, m.odd.numbers)
}

func oddValues() []string {
	return []string{
		"null", "true", "false", `""`, `" "`, "[]", "{}", "[null]", "[[]]", `{"a":1}`, `[{"a":[{}]}]`, `"\ud800"`, `"\udc00\ud800"`, `"\u0000"`,
		`"a\u0000b"`, "\"\xff\"", "\"\xc3\"",
		`"` + strings.Repeat("a", 1_000_000) + `"`, `"` + strings.Repeat("🙂", 10_000) + `"`, strings.Repeat("[", 40) + strings.Repeat("]", 40),
		"NaN", "undefined", "01", "+1", ".5", "0x10", "'x'", "",
		"[" + strings.Repeat("1,", 5000) + "1]",
	}
}

func oddNumbers() []string {
	return []string{
		"0", "-0", "-1", "1", "2", "49", "50", "51", "100", "101", "1.5", "0.1", "0.001", "-0.01", "1e2", "1E+2", "1e400", "-1e400", "1e-400",
		"1e999999999999", "1.0",
		"2147483648", "4294967296", "9007199254740993",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "999999999.99",
		"999999999.999", "1000000000",
		strings.Repeat("9", 400), "0." + strings.Repeat("3", 400), "1" + strings.Repeat("0", 1000) + ".0",
	}
}

func oddTexts() []string {
	return []string{
		"", " ", "\t\n", "0", "-0", "-1", "1", "2", "01", "1.5", "1e3", "1e400", "NaN", "Infinity", "0x10", "1_000", "١٢", "9223372036854775808",
		strings.Repeat("9", 400),
		"true", "FALSE", "yes", "null", "undefined", "[]", "{}", ",", ",,", "-", "--", "-name", "name,name", "*", "%", "_", "%25", "?", "?0", "$1",
		":id", "\\", "'", `"`, "`", "a'b", "' OR '1'='1",
		"'; DROP TABLE users; --", "1); SELECT 1; --", "{{.}}", "${x}", "<script>", "../../etc/passwd", "2026-02-30", "2026-02-30T00:00:00Z",
		"2026-01-01T24:00:00Z", "2026-01-01", "0000-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "2026-01-01t00:00:00z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00+25:00",
		"2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:60Z", "-0001-01-01T00:00:00Z",
		"00000000-0000-0000-0000-000000000000", "{01890163-d869-739b-aea5-966c26f8ad90}", "urn:uuid:01890163-d869-739b-aea5-966c26f8ad90",
		"01890163d869739baea5966c26f8ad90", "01890163-D869-739B-AEA5-966C26F8AD90",
		"01890163-d869-739b-aea5-966c26f8ad9", "ffffffff-ffff-ffff-ffff-ffffffffffff", "é", "e\u0301", "İ", "ß", "\u202e", "\u2028", "🙂", "\x01",
		"a\r\nb", "a\u00a0b", "\ufeffa",
		"https://example.com", "http://example.com", "javascript:alert(1)", "https://", "https://bücher.jp/é", "ftp://x", "a@b", "a@b.example", "@",
		"a b@example.com", "+919876543210", "12345", "abc-def", "ABC", "-a-",
		strings.Repeat("a", 300), strings.Repeat("a", 3000), strings.Repeat("1,", 200),
	}
}

func oddBodies() []string {
	return []string{
		"", " ", "null", "true", "1", `"x"`, "[]", "[{}]", "{}", "{", "}", `{"a"`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1}{"a":2}`, "{}x", "\x00",
		"{\"a\":\"\x00\"}", "\xff\xfe{\x00}\x00", "{\"\xff\":1}",
		strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), strings.Repeat("[", 100_000), `{"a":` + strings.Repeat("9", 100_000) + "}",
		strings.Repeat(" ", bodyLimit), strings.Repeat(" ", bodyLimit+1),
		"name=x&a=1", "<a/>", "/* x */ {}", "{} // x", "NaN",
	}
}

func oddQueries() []string {
	return []string{
		"unknown=1", "page=1&page=2", "page=1;page=2", "a=%", "a=%zz", "a=%ff", "a=%00", "%00=a", "=", "=a", "&", "&&&", "a", "page",
		"ordering=%2C%2C", "a[]=1", "a[b]=1", "page[number]=1", "page=%20%201%20",
		strings.Repeat("a=1&", 120), "a=" + strings.Repeat("x", 9000), "q=" + strings.Repeat("%F0%9F%99%82", 100), "format=json", "_method=DELETE",
		"PAGE=1", "page=+1", "token=trs_x",
	}
}

func oddMedia() []string {
	return []string{
		"", "text/plain", "application/json; charset=utf-8", "application/json; charset=latin1", "application/json;", "APPLICATION/JSON",
		"application/problem+json", "application/merge-patch+json", "multipart/form-data; boundary=x",
		"application/x-www-form-urlencoded", "text/json", "json", "*/*", "application/json, text/plain", `application/json; charset="`,
	}
}

func oddHeaders() []string {
	return []string{
		"", " ", "x", "\"", `"a"`, `"a`, "a,b", "é", strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 5000), "Token",
		"Token ", "Token x", "Token trs_x", "token trs_" + strings.Repeat("A", 43), "Bearer", "Bearer x",
		"Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic YTpi", "sessionid=x", "sessionid=; csrftoken=", "null", "https://evil.example",
		"DELETE", "*", "bytes=0-1", "text/html", "application/xml;q=1",
	}
}
