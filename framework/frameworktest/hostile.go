package frameworktest

import "strings"

// hostileMark is a word that no program has in its statements.
const hostileMark = "zq7xk"

// hostileValues are texts that a client might send in any parameter. None is empty, and
// the framework itself rejects none.
func hostileValues() []string {
	return []string{
		hostileMark,
		hostileMark + "' OR '1'='1",
		hostileMark + `"; DROP TABLE frameworktest_rows; --`,
		hostileMark + `\'); DELETE FROM frameworktest_rows; /*`,
		"1); DELETE FROM frameworktest_rows; -- " + hostileMark,
		"1," + hostileMark,
		hostileMark + "?0?1?TableAlias", "?", "??", "?TableName", "$1", "$$", ":name", `\`, "'", `"`, "`", "%", "_", "%s", "{{.}}",
		"-", "--", "/*", ",", ",,,,", "null", "NULL", "undefined", "true", "FALSE",
		"0", "-0", "-1", "+1", "1.5", "1e3", "1e400", "-1e400", "1e-400", "NaN", "Inf", "-Infinity", "0x10", "1_000", "١٢",
		"2147483648", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", strings.Repeat("9", 400),
		"2026-02-30", "0000-00-00", "0000-01-01", "9999-12-31", "10000-01-01",
		"2026-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-01-01T24:00:00Z",
		"00000000-0000-0000-0000-000000000000", "{00000000-0000-0000-0000-000000000000}", "urn:uuid:00000000-0000-0000-0000-000000000000",
		"é", "e\u0301", "İ", "ß", "\u202e", "\u2028", "🙂", "\x01", "a\tb\nc\r\n",
		strings.Repeat("a", 2000), strings.Repeat("1,", 200), strings.Repeat("(", 500),
	}
}
