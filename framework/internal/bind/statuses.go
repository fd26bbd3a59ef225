package bind

import (
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/naming"
)

// fixedStatuses are the statuses whose errors have headers, or close the connection, as HTTP
// requires it of the status. Their codes keep them, and other codes cannot have them.
var fixedStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired,
	http.StatusRequestTimeout, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable,
	http.StatusUpgradeRequired, http.StatusTooManyRequests,
}

// setStatuses gives the codes of the API the statuses of the settings. It runs after the codes of
// all viewsets are known.
func (b *binder) setStatuses() {
	for _, code := range slices.Sorted(maps.Keys(b.api.Config.Statuses)) {
		status := b.api.Config.Statuses[code]
		if err := b.checkNewStatus(code, status); err != nil {
			b.fault("framework.Config", "Statuses", err)
			continue
		}
		info := b.api.Codes[code]
		info.Status = status
		b.api.Codes[code] = info
	}
}

// checkNewStatus returns the mistake in giving a code a status, nil for none.
func (b *binder) checkNewStatus(code string, status int) error {
	info, known := b.api.Codes[code]
	switch {
	case !known:
		names := slices.Sorted(maps.Keys(b.api.Codes))
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
