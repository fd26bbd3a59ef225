package sqltext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// lockPatience is how long writes that were sent together wait for a lock. Perhaps only
// one of them needs it.
const lockPatience = "100ms"

// partName begins the names of the parts of WITH, which hide tables of the same name.
const partName = "trestle_write_"

// A JoinedKey is the text of some equal writes, and how many they are.
type JoinedKey struct {
	Text string
	N    int
}

// Joined returns one statement of PostgreSQL for several writes with one text, or "" if they
// cannot be joined: a write must be an INSERT, UPDATE or DELETE with RETURNING. Each write is a
// part of WITH. Each row of the result begins with the number of its write, counted from 0.
//
// The first row has the number -1. It sets lock_timeout to lockPatience until the end of the
// transaction. PostgreSQL reads the parts of a UNION ALL in their order, and runs
// a part of WITH when it reads it. If that changed, the writes would wait for locks as long
// as other statements. The CASE only makes PostgreSQL call set_config.
func Joined(key JoinedKey) string {
	tokens, ok := sqlTokens(key.Text)
	if !ok || !slices.ContainsFunc(tokens, func(t string) bool { return strings.EqualFold(t, "returning") }) {
		return ""
	}
	switch strings.ToLower(tokens[0]) {
	case "insert", "update", "delete":
	default:
		return ""
	}
	values := 0
	for _, t := range tokens {
		if t[0] == '$' {
			at, _ := strconv.Atoi(t[1:])
			values = max(values, at)
		}
	}
	if strings.Contains(strings.ToLower(key.Text), partName) {
		return ""
	}
	var with, answers strings.Builder
	for i := range key.N {
		with.WriteString(map[bool]string{true: "WITH ", false: "), "}[i == 0] + partName + strconv.Itoa(i) + " AS (")
		for _, t := range tokens {
			if t[0] == '$' {
				at, _ := strconv.Atoi(t[1:])
				t = "$" + strconv.Itoa(at+i*values)
			}
			with.WriteString(t)
		}
		fmt.Fprintf(&answers, " UNION ALL SELECT %d, part.* FROM %s%d AS part", i, partName, i)
	}
	return with.String() + ") SELECT CASE WHEN waits.most IS NULL THEN -1 ELSE -1 END, part.*" +
		" FROM (SELECT set_config('lock_timeout', '" + lockPatience + "', true) AS most) AS waits" +
		" LEFT JOIN " + partName + "0 AS part ON false" + answers.String()
}
