package httpserver

import "time"

// Limits bound what clients can hold of a server. A field that is zero has its
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
	// Idle is how long a connection is kept between requests. Defaults to 2
	// minutes.
	Idle time.Duration
	// HeaderBytes is how long the head of a request may be, to which net/http
	// adds 4 KiB. Defaults to 16 KiB.
	HeaderBytes int
	// Stall is how long a body may bring no byte. Defaults to 5 seconds.
	Stall time.Duration
	// Grace is how long a body may take, and Pace, in bytes per second, gives
	// it more time for what it has brought. Default to 10 seconds and 4096.
	Grace time.Duration
	Pace  int
	// Conns is how many connections there may be, and how many requests by HTTP/2
	// beside the first of each. Defaults to 2048, or as many as the process's limit of
	// open files leaves, less SpareFiles.
	Conns int
	// SpareFiles is how many open files are left for all else, such as the
	// connections to a database. Defaults to 128.
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

// within is how many connections there may be in a process that may open so many
// files, 0 for an unknown number: at least a quarter of them, though others may
// then lack some.
func (l Limits) within(files int) int {
	if files <= 0 {
		return l.Conns
	}
	return min(l.Conns, max(files-l.SpareFiles, files/4, 1))
}
