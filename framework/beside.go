package framework

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/web"
)

// Protect returns a handler beside the API, such as a page, a stream of events or a websocket.
// It checks a request as an endpoint does, and passes it to next only if the request is
// accepted: by [Config].Hosts, the guards of its path, [Config].Throttles and
// [Config].Authentication, and by the permission. A rejected request gets the error of an
// endpoint. Preflight requests of allowed origins are answered without next.
//
// next gets the call of the request by [CallOf]. The context of its request ends when the
// client disconnects, and has no deadline. Time limits of the server do not apply either: a
// stream may stay open. [Config].Timeout limits each write. The answer has the
// headers of the API, such as Content-Security-Policy and Cache-Control: no-store; next may
// replace them. The ResponseWriter implements http.Flusher and http.Hijacker. The request is
// logged, and [Config].Observers are called, when next returns. A panic of next is answered
// 500, or closes the connection if the answer has begun.
//
// The error is that of [API.Check], or of an invalid permission. The handler is safe for
// concurrent use if next is.
func (a *API) Protect(permission call.Permission, next http.Handler) (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return web.NewProtected(a.registry, permission, next)
}

// Identify returns a call of the caller of a request, for a handler that decides itself who may
// use it. The caller is anonymous if the request has no credentials. Invalid credentials and
// a host that [Config].Hosts does not allow are errors for [API.WriteError]. No throttle
// counts the request. Behind [API.Protect], it returns the call of that.
//
// Call it after [API.Check] or [API.Handler]. It is safe for concurrent use.
func (a *API) Identify(r *http.Request) (*Call, error) { return web.Identify(a.registry, r) }

// WriteError answers a request with an error, in the error format and with the headers of the
// API. An [Error] gives the status; any other error is logged and answered 500 without its
// text. Call it after [API.Check] or [API.Handler], and before anything is written to w.
func (a *API) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	web.WriteError(a.registry, w, r, err)
}

// CallOf returns the call of a request that passed [API.Protect]: CallOf(r.Context()). Any
// other context has none, and the result is nil. Its DB and Session run statements outside a
// transaction; [call.Call.InTx] opens one.
func CallOf(ctx context.Context) *Call { return web.CallOf(ctx) }

// FromEcho makes a [Middleware] of a middleware of echo, for [ViewSet].Middleware, [Verb.Wrap]
// or around a whole handler. If it returns an error, the answer is an error of the API: with
// the status and the message of an echo.HTTPError below 500 and the code rejected, or else
// 500. Around a handler that is not an endpoint, echo writes the error.
func FromEcho(m echo.MiddlewareFunc) Middleware { return web.FromEcho(m) }
