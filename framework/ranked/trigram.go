package ranked

// trigrams returns the runs of three characters of a word with two spaces before it and
// one after it, in their order.
func trigrams(word string) []string {
	padded := []rune("  " + word + " ")
	list := make([]string, len(padded)-2)
	for i := range list {
		list[i] = string(padded[i : i+3])
	}
	return list
}

// A score is the similarity of two words: the number of common trigrams out of all
// trigrams of both. It is a fraction, so that rounding never decides between two words.
type score struct{ common, all int }

func (s score) above(other score) bool { return s.common*other.all > other.common*s.all }

// nearEnough reports whether a word with this score may replace another: from 0.3, which
// is also the default threshold of pg_trgm.
func (s score) nearEnough() bool { return !score{nearCommon, nearAll}.above(s) }

const nearCommon, nearAll = 3, 10

// fewestCommon returns how many trigrams a word must share with a word of n trigrams to
// be near enough.
func fewestCommon(n int) int { return (nearCommon*n + nearAll - 1) / nearAll }

// nearness returns the score of a known word: the best of the score of the whole word and
// of its beginnings that are at least as long as the word of the search.
func nearness(asked, known string) score {
	list := trigrams(asked)
	wanted := make(map[string]bool, len(list))
	for _, gram := range list {
		wanted[gram] = true
	}
	best, common, all := score{0, 1}, 0, len(wanted)
	seen := map[string]bool{}
	grams := trigrams(known)
	for i, gram := range grams {
		switch {
		case seen[gram]:
		case wanted[gram]:
			common++
		default:
			all++
		}
		seen[gram] = true
		// A beginning has one trigram for each character; the whole word has one more.
		longEnough := i+1 >= len(list)-1 || i+1 == len(grams)
		if now := (score{common, all}); longEnough && now.above(best) {
			best = now
		}
	}
	return best
}

// nearestOf returns the nearest word to a word of the search. If two are equally near,
// the first in byte order wins. ok is false if no word is near enough.
func nearestOf(asked string, known []string) (nearest string, ok bool) {
	var best score
	for _, word := range known {
		now := nearness(asked, word)
		switch {
		case !now.nearEnough(), ok && best.above(now), ok && !now.above(best) && word >= nearest:
			continue
		}
		nearest, best, ok = word, now, true
	}
	return nearest, ok
}
