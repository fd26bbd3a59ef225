package console

import "net/http"

// home answers with the first page: what the caller may read, by service.
func (v *visit) home() {
	v.render(http.StatusOK, "home", page{Title: v.Title, Data: map[string]any{"Said": said(v.r.URL.Query().Get(saidParam)), "Tiles": v.showTiles()}})
}
