package web

import (
	"strconv"
	"strings"
)

// prefersHTML reports whether a header Accept is that of a person's browser:
// it names text/html, and wants nothing that is JSON more (RFC 9110, section
// 12.5.1). "*/*" alone is that of a program.
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

// weigh reads a header Accept: media ranges with their weights.
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

// weight is the parameter q: from 0 to 1, 1 if there is none, 0 if it is
// broken.
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
