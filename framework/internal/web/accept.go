package web

import (
	"strconv"
	"strings"
)

// prefersHTML reports whether a header Accept is of a browser: it names text/html with a weight
// above that of application/json. If it does not name application/json, the weight must be above
// 0 and at least that of application/* or, if application/* is absent too, that of "*/*". It is
// false for "*/*" alone, which programs send.
func prefersHTML(accept []string) bool {
	weights := weigh(accept)
	html, named := weights["text/html"]
	json, exact := weights["application/json"]
	if exact {
		return named && html > json
	}
	if ranged, ok := weights["application/*"]; ok {
		json = ranged
	} else {
		json = weights["*/*"]
	}
	return named && html > 0 && html >= json
}

// weigh returns the media ranges of a header Accept with their weights.
func weigh(accept []string) map[string]float64 {
	weights := map[string]float64{}
	for _, list := range accept {
		for one := range strings.SplitSeq(list, ",") {
			media, parameters, _ := strings.Cut(strings.ToLower(one), ";")
			weights[strings.TrimSpace(media)] = weight(parameters)
		}
	}
	return weights
}

// weight returns the value of the parameter q, from 0 to 1. It is 1 if q is absent, and 0 if q
// is invalid.
func weight(parameters string) float64 {
	for one := range strings.SplitSeq(parameters, ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(one), "q="); ok {
			q, err := strconv.ParseFloat(text, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
