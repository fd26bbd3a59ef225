package sqldb

import (
	"strings"
	"sync"
)

// sharables remembers which statements may be shared. It forgets everything
// when it is full.
type sharables struct {
	mu    sync.RWMutex
	known map[string]bool
}

func (s *sharables) allows(text string) bool {
	s.mu.RLock()
	allowed, known := s.known[text]
	s.mu.RUnlock()
	if known {
		return allowed
	}
	allowed = sharable(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxInlined {
		s.known = make(map[string]bool)
	}
	s.known[text] = allowed
	return allowed
}

// sharable reports whether a statement only reads, and calls nothing whose
// answer may differ between two who ask at once. What is not known to be so is
// run for each by itself.
func sharable(text string) bool {
	before := "" // the word before, or the mark; "" at the beginning
	for text != "" {
		var word string
		if word, text = nextWord(text); text == "" && isQuote(word[0]) && (len(word) < 2 || word[len(word)-1] != word[0]) {
			return false // a quote that does not end
		}
		switch {
		case word == " ":
			continue
		case before == "" && word != "select" && word != "with":
			return false
		case word == "(" && before != "," && !strings.Contains(steady, " "+before+" "):
			return false // what stands before is a function's name
		case strings.Contains(changing, " "+word+" "):
			return false
		}
		before = word
	}
	return true
}

// nextWord cuts the next word off a statement, in lower case: a name or
// keyword, something in quotes, or a single mark.
func nextWord(text string) (word, rest string) {
	end := 1
	switch c := text[0]; {
	case isQuote(c):
		if closing := strings.IndexByte(text[1:], c); closing >= 0 {
			end = closing + 2
		} else {
			end = len(text)
		}
	case isLetter(c):
		for end < len(text) && (isLetter(text[end]) || '0' <= text[end] && text[end] <= '9') {
			end++
		}
	}
	return strings.ToLower(text[:end]), text[end:]
}

func isQuote(c byte) bool { return c == '\'' || c == '"' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

const (
	// changing are words of statements that write or lock.
	changing = " insert update delete merge for into nextval setval "
	// steady are the words before a parenthesis in which an answer is the same
	// for all who ask at once: keywords, and functions of their arguments.
	steady = " ( ) = < > + - * / | select from where and or not in exists any all as on by over filter values union except intersect case when then else end distinct materialized limit offset having join lateral array between like ilike cast " +
		"count sum min max avg coalesce nullif lower upper length abs round trim substr replace string_agg group_concat trestle_fold trestle_part translate normalize greatest least "
)
