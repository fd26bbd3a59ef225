package fault

import (
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// fixedStatuses are the statuses whose errors have headers, or close the connection, as HTTP
// requires it of the status. Their codes keep them, and other codes cannot have them.
var fixedStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired,
	http.StatusRequestTimeout, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable,
	http.StatusUpgradeRequired, http.StatusTooManyRequests,
}

// CheckStatus returns the mistake in giving one of the codes of an API a status, nil for none.
func CheckStatus(codes map[string]problem.CodeInfo, code string, status int) error {
	info, known := codes[code]
	switch {
	case !known:
		names := slices.Sorted(maps.Keys(codes))
		return naming.Sentence("no error has the code %q%s", code, naming.DidYouMean(code, names))
	case isFixed(info.Status):
		return naming.Sentence("%q keeps the status %d, whose headers it has", code, info.Status)
	case info.Status >= http.StatusInternalServerError:
		return naming.Sentence("%q keeps the status %d: only errors of clients can have another", code, info.Status)
	case isFixed(status):
		return naming.Sentence("%q cannot have the status %d, whose headers it does not have", code, status)
	case status < 400 || status > 499 || http.StatusText(status) == "":
		return naming.Sentence("%q cannot have the status %d; an error of a client has one of 400 to 499 that HTTP names, such as 422", code, status)
	}
	return nil
}

func isFixed(status int) bool { return slices.Contains(fixedStatuses, status) }

// IsBuiltin reports whether a code is an error code of the framework.
func IsBuiltin(code string) bool {
	return slices.ContainsFunc(problem.BuiltinCodes(), func(c problem.CodeInfo) bool { return c.Code == code })
}
