package sqltext

import (
	"regexp"
	"slices"
	"strings"
)

// sqlToken is a piece of a statement as the framework and bun write them: names
// and texts in quotes, words, parameters, numbers, space, marks.
var sqlToken = regexp.MustCompile(`"[^"]*"|'[^']*'|[A-Za-z_][A-Za-z_0-9]*|\$[0-9]+|\?[0-9]*|[0-9]+|\s+|--|/\*|[(),.=<>!+*/%|&:@~^-]`)

// Sharable reports whether a statement only reads, and calls no function whose result may
// differ between two calls at the same time. It returns false if it does not know that.
func Sharable(text string) bool {
	tokens, ok := sqlTokens(text)
	words := make([]string, 0, len(tokens)) // without space
	for _, t := range tokens {
		if strings.TrimSpace(t) != "" {
			words = append(words, strings.ToLower(t))
		}
	}
	return ok && len(words) > 0 && (words[0] == "select" || words[0] == "with") && !slices.ContainsFunc(words, isChanging) && callsSteadily(words)
}

// sqlTokens returns the pieces of a statement. It returns false if the statement is empty, has
// a comment, a text in quotes right after a name, such as E'a', or a character that sqlToken
// does not match.
func sqlTokens(text string) ([]string, bool) {
	tokens := sqlToken.FindAllString(text, -1)
	size := 0
	for i, t := range tokens {
		if t == "--" || t == "/*" || t[0] == '\'' && i > 0 && isName(tokens[i-1]) {
			return nil, false
		}
		size += len(t)
	}
	return tokens, size == len(text) && size > 0
}

func isName(token string) bool {
	return token[0] == '_' || token[0] == '"' || 'a' <= token[0] && token[0] <= 'z' || 'A' <= token[0] && token[0] <= 'Z'
}

func isChanging(word string) bool { return isName(word) && strings.Contains(changing, " "+word+" ") }

// callsSteadily reports whether each opening parenthesis comes after a keyword of steady, a
// function of steady without a schema, or no name.
func callsSteadily(words []string) bool {
	for i, word := range words {
		if word != "(" || i == 0 || !isName(words[i-1]) {
			continue
		}
		if !strings.Contains(steady, " "+words[i-1]+" ") || i > 1 && words[i-2] == "." {
			return false
		}
	}
	return true
}

const (
	// changing are words of statements that write, lock, or read the time or the
	// session.
	changing = " insert update delete merge for into nextval setval " +
		"current_timestamp current_time current_date localtime localtimestamp current_user session_user user current_role current_schema "
	// steady are the words before a parenthesis that have the same result for all calls
	// at the same time: keywords, and functions of their arguments.
	steady = " pg_current_snapshot pg_is_in_recovery " +
		"select from where and or not in exists any all as on by over filter values union except intersect case when then else end distinct materialized limit offset having join lateral array between like ilike cast " +
		"count sum min max avg coalesce nullif lower upper length abs round trim substr replace string_agg group_concat json_build_array json_array json_group_array instr strpos trestle_fold trestle_part translate normalize greatest least json_each unhex "
)
