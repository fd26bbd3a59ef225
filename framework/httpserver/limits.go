package httpserver

import "time"

// Limits bound the resources that clients can use. A field that is zero or negative has its
// default.
type Limits struct {
	// Header is how long the head of a request may take, and a TLS handshake.
	// Defaults to 5 seconds.
	Header time.Duration
	// Read is how long a whole request may take to arrive. Defaults to 30
	// seconds.
	Read time.Duration
	// Write is how long a request may take from the end of its head to the end
	// of its answer. Defaults to 60 seconds.
	Write time.Duration
	// Idle is how long a connection stays open between requests. Defaults to 2
	// minutes.
	Idle time.Duration
	// HeaderBytes is the size limit of the head of a request; net/http adds 4 KiB.
	// Defaults to 16 KiB.
	HeaderBytes int
	// Stall is how long a body may pause. Defaults to 5 seconds.
	Stall time.Duration
	// A body may take Grace, and one second more for each Pace bytes that arrived.
	// Default to 10 seconds and 4096 bytes.
	Grace time.Duration
	Pace  int
	// Conns is how many connections may be open, and how many HTTP/2 requests all of them
	// may have in addition to the first of each. Defaults to 2048. It is lower if the
	// process may open fewer files: the limit of open files without SpareFiles.
	Conns int
	// SpareFiles is how many open files are left for other uses, such as connections to a
	// database. Defaults to 128.
	SpareFiles int
}

func (l Limits) withDefaults() Limits {
	l.Header = orDefault(l.Header, 5*time.Second)
	l.Read = orDefault(l.Read, 30*time.Second)
	l.Write = orDefault(l.Write, 60*time.Second)
	l.Idle = orDefault(l.Idle, 2*time.Minute)
	l.HeaderBytes = orDefault(l.HeaderBytes, 16<<10)
	l.Stall = orDefault(l.Stall, 5*time.Second)
	l.Grace = orDefault(l.Grace, 10*time.Second)
	l.Pace = orDefault(l.Pace, 4096)
	l.Conns = orDefault(l.Conns, 2048)
	l.SpareFiles = orDefault(l.SpareFiles, 128)
	return l
}

func orDefault[T int | time.Duration](value, usual T) T {
	if value <= 0 {
		return usual
	}
	return value
}

// within returns the limit of connections for a process that may open this many files: Conns,
// or fewer if too few files are left after SpareFiles. Then the limit is not less than a
// quarter of the files, nor less than 1. files is 0 if the number is unknown: the limit is
// Conns.
func (l Limits) within(files int) int {
	if files <= 0 {
		return l.Conns
	}
	return min(l.Conns, max(files-l.SpareFiles, files/4, 1))
}
