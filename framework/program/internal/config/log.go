package config

import (
	"io"
	"log/slog"
)

// NewLog returns the log of the settings.
func (c Config) NewLog(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.logLevel}
	if c.logJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
