package site

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// checkConsole returns an error if a handler beside the API has addresses of the console.
func (s *Site) checkConsole(handlers map[string]http.Handler) error {
	for _, pattern := range slices.Sorted(maps.Keys(handlers)) {
		_, path, _ := strings.Cut(pattern, "/")
		if s.consoleAt != "" && strings.HasPrefix("/"+path+"/", s.consoleAt) {
			return fmt.Errorf(s.Text("program: Beside: the pattern %q is at the console, %s; choose another path, or set {PROGRAM}_CONSOLE to another one or to off"), pattern, s.consoleAt)
		}
	}
	return nil
}
