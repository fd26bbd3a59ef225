package ranked

// trigrams are the runs of three characters of a word with two spaces before
// and one after it, in their order.
func trigrams(word string) []string {
	padded := []rune("  " + word + " ")
	list := make([]string, len(padded)-2)
	for i := range list {
		list[i] = string(padded[i : i+3])
	}
	return list
}

// A score is how near two words are: their trigrams in common, of all that
// either has. It is a fraction, so that no rounding decides between two.
type score struct{ common, all int }

func (s score) above(other score) bool { return s.common*other.all > other.common*s.all }

// nearEnough tells of the score of a word that may replace another: 0.3, with
// which PostgreSQL's own trigrams begin to call two texts similar.
func (s score) nearEnough() bool { return !score{nearCommon, nearAll}.above(s) }

const nearCommon, nearAll = 3, 10

// fewestCommon is how many trigrams a word must have in common with one of n
// trigrams to be near enough.
func fewestCommon(n int) int { return (nearCommon*n + nearAll - 1) / nearAll }

// nearness is the score of a known word: its own, or that of its beginning that
// is at least as long as the word asked for and scores best.
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
		// A beginning has a trigram for each character, the end one more.
		longEnough := i+1 >= len(list)-1 || i+1 == len(grams)
		if now := (score{common, all}); longEnough && now.above(best) {
			best = now
		}
	}
	return best
}

// nearestOf finds the word that is nearest to the one asked for, of equals the
// first by its bytes; ok is false if none is near enough.
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
