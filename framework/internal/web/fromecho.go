package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"trestle.example/framework/call"
	"trestle.example/framework/problem"
)

// rejected is the code of an error of a middleware of echo whose status has no other code.
const rejected = "rejected"

// FromEcho makes a middleware of a middleware of echo. If that returns an error, the answer is
// an error of the API with the status and the message of an echo.HTTPError, or 500.
func FromEcho(m echo.MiddlewareFunc) call.Middleware {
	e := echo.New()
	return func(next http.Handler) http.Handler {
		run := m(func(c echo.Context) error { next.ServeHTTP(c.Response(), c.Request()); return nil })
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c := e.NewContext(r, w)
			err := run(c)
			if err == nil {
				return
			}
			if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok {
				x.failed = problemOf(err)
				return
			}
			e.DefaultHTTPErrorHandler(err, c)
		})
	}
}

// problemOf makes an error of the API of an error of echo.
func problemOf(err error) error {
	refusal, ok := errors.AsType[*echo.HTTPError](err)
	if !ok || refusal.Code >= http.StatusInternalServerError {
		return err
	}
	detail, _ := refusal.Message.(string)
	if detail == "" {
		detail = http.StatusText(refusal.Code)
	}
	return problem.Refuse(refusal.Code, rejected, detail)
}
