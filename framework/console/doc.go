// Package console makes pages for people from the declarations of an API: lists, objects, and a
// form for each operation. It shows what the API answers and sends what people enter to the API's
// endpoints, in the same process and through the whole chain of a request. So it shows and does
// nothing that the API would not: access checks, scopes, validation, throttles and the log are
// those of the API.
//
// Each address of the API has one page: with the path "/admin/" and the prefix "/api", the page of
// /api/patients/?city=Pune is /admin/patients/?city=Pune. An operation that writes has a form at
// the address of its path with a tilde and its method: /admin/patients/~post.
//
// A program adds tiles to the first page and pages of its own: see [Tile] and [Page]. Their functions read the API as the caller too.
//
// People sign in by the endpoint of sessions of package auth. The cookies of the console have names
// of their own, which the API does not accept. The pages need no script.
package console
