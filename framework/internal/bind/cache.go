package bind

import (
	"slices"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// longestCache is the longest time for which caches use an answer before they send another request.
const longestCache = 365 * 24 * time.Hour

// bindCache lets caches keep the answers of the reads of a viewset.
func (b *binder) bindCache(r *table.Resource) {
	d, fault := r.Declaration.Cache, b.at(r, "cache")
	if d == (declare.Cache{}) {
		return
	}
	if d.For < time.Second || d.For > longestCache || d.For%time.Second != 0 {
		fault(naming.Sentence("For is %s; max-age of Cache-Control is in whole seconds, from 1s to 8760h", d.For))
		return
	}
	for _, e := range r.Endpoints {
		if isCached(e) {
			e.Cache = caching.New(d.For, e.Authentication)
		}
	}
	b.later(func() {
		checkCache(r, fault)
		b.checkLinks(r, fault)
	})
}

// isCached reports whether Cache of a viewset is about an endpoint: it is List, Retrieve or an action of Lists.
func isCached(e *table.Endpoint) bool {
	return !e.IsWrite() && (e.Kind == declare.VerbShows || e.Kind == declare.VerbComputes || e.Pagination != nil)
}

// checkCache reports a Cache without effect, and one of answers that no cache must keep.
func checkCache(r *table.Resource, fault func(error)) {
	cached := slices.DeleteFunc(slices.Clone(r.Endpoints), func(e *table.Endpoint) bool { return e.Cache == nil })
	for _, e := range cached {
		switch {
		case e.Secret:
			fault(naming.Sentence("the answer of %s has a secret, which no cache must keep; leave out AnswersSecret or Cache", e.Place()))
		case e.Reads(conditional.HeaderIfNoneMatch):
			fault(naming.Sentence("%s takes If-None-Match, which the framework compares with the ETag; leave it out of Takes", e.Place()))
		}
	}
	switch {
	case len(cached) == 0:
		fault(naming.Sentence("no rows are read, so it has no effect; declare List, Retrieve or an action of framework.Lists, or leave Cache out"))
	case !slices.ContainsFunc(cached, isPublic):
		fault(naming.Sentence("anonymous callers read no rows, so every answer is for one caller; permit them by framework.Anyone() and a Scope such as framework.Public(), or leave Cache out"))
	}
}

// isPublic reports whether an anonymous caller may read rows by an endpoint.
func isPublic(e *table.Endpoint) bool { return describe.NewOperation(e).ReadsAnonymously() }

// checkLinks reports signed URLs of files that end before caches stop to show them. What a function shows is not known.
func (b *binder) checkLinks(r *table.Resource, fault func(error)) {
	for _, e := range r.Endpoints {
		shown := r.Shown[e.Out]
		if e.Cache == nil || shown == nil {
			continue
		}
		shown.ColumnsOf(func(_ *schema.Table, fields ...*schema.Field) {
			for _, field := range fields {
				file := b.api.FileOf(field, r)
				if file == nil || file.SignFor <= 0 || file.SignFor > r.Declaration.Cache.For {
					continue
				}
				fault(naming.Sentence("caches keep answers for %s, and show URLs of the file %q of %s that end after %s; let SignFor be longer than For, such as %s",
					r.Declaration.Cache.For, file.Name, file.Resource.Path, file.SignFor, 2*r.Declaration.Cache.For))
			}
		})
	}
}
