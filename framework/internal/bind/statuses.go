package bind

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/fault"
)

// setStatuses gives the codes of the API the statuses of the settings. It runs after the codes of
// all viewsets are known.
func (b *binder) setStatuses() {
	for _, code := range slices.Sorted(maps.Keys(b.api.Config.Statuses)) {
		status := b.api.Config.Statuses[code]
		if err := fault.CheckStatus(b.api.Codes, code, status); err != nil {
			b.fault("framework.Config", "Statuses", err)
			continue
		}
		info := b.api.Codes[code]
		info.Status = status
		b.api.Codes[code] = info
	}
}
