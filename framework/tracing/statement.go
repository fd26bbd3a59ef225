package tracing

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"trestle.example/framework/sqldb"
)

// Watch begins to make spans for the statements of a database, if they belong to a trace
// that is kept.
func (t *Tracing) Watch(db *sqldb.DB) {
	system := attribute.String("db.system.name", db.Kind().String())
	db.Observe(func(ctx context.Context, e sqldb.Event) {
		if trace.SpanContextFromContext(ctx).IsSampled() {
			t.statement(ctx, system, e)
		}
	})
}

// statement makes the span of a statement that has ended.
func (t *Tracing) statement(ctx context.Context, system attribute.KeyValue, e sqldb.Event) {
	end := time.Now()
	operation := strings.ToUpper(e.Operation())
	_, span := t.tracer.Start(ctx, operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(end.Add(-e.Duration)),
		trace.WithAttributes(system, attribute.String("db.operation.name", operation)))
	if text := withoutValues(e); text != "" {
		span.SetAttributes(attribute.String("db.query.text", text))
	}
	if failure := e.Failure(); failure != "" {
		span.SetAttributes(attribute.String("error.type", failure))
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(end))
}

// textMost is the length, in bytes, at which the text of a statement is cut. The last piece
// may exceed it.
const textMost = 2000

// withoutValues returns the text of a statement whose values were sent as arguments, with
// ? for the numbers and texts that are in it nevertheless. It returns "" for other
// statements, and for a text with a comment, a backslash, a dollar quote or an open quote.
func withoutValues(e sqldb.Event) string {
	if len(e.Args) == 0 || strings.ContainsAny(e.SQL, `\`) || strings.Contains(e.SQL, "--") || strings.Contains(e.SQL, "/*") {
		return ""
	}
	var b strings.Builder
	for rest := e.SQL; rest != "" && b.Len() < textMost; {
		n, shown := nextPiece(rest)
		if n == 0 {
			return ""
		}
		b.WriteString(shown)
		rest = rest[n:]
	}
	return strings.ToValidUTF8(b.String(), "")
}

// nextPiece returns the length of the first piece of a statement and the text to show for it.
// n is 0 if a quote does not end, or if a text in dollar quotes begins.
func nextPiece(text string) (n int, shown string) {
	switch c := text[0]; {
	case c == '\'' || c == '"':
		end := strings.IndexByte(text[1:], c)
		if end < 0 {
			return 0, ""
		}
		if n = end + 2; c == '\'' { // two quotes in a row count as two texts, which does no harm
			return n, "?"
		}
	case isWord(c) || c == '$' || c == '?':
		n = 1 + wordLength(text[1:])
		switch {
		case isDigit(c):
			return n, "?"
		case c == '$' && (n == 1 || !isDigit(text[1])): // dollar-quoted text of PostgreSQL
			return 0, ""
		}
	default:
		n = 1
	}
	return n, text[:n]
}

// wordLength returns how many bytes of a name, a parameter or a number follow.
func wordLength(text string) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 128
}
