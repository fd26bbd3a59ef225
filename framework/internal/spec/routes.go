package spec

// A RouteInfo describes one endpoint of a checked API, for listings.
type RouteInfo struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	ViewSet    string `json:"viewset"`
	Name       string `json:"name"`
	Permission string `json:"permission"`
	Scope      string `json:"scope"`
	Writers    string `json:"writers,omitempty"`
	Doc        string `json:"doc,omitempty"`
}

// A RouteAccess is one endpoint with the access of some callers.
type RouteAccess struct {
	RouteInfo

	// Access has one entry for each caller, in the order of the callers.
	Access []Access
}
