package httpserver

import "time"

// Limits bound the resources that clients can use. A field that is zero or negative has its
// default.
type Limits struct {
	// Header is how long the head of an HTTP/1 request may take. The least of Header, Read and
	// Write bounds a TLS handshake. Defaults to 5 seconds.
	Header time.Duration
	// Read is how long all reads of the body of a request may take together, without the time
	// between them. It does not apply to the uploads of files of package framework. Defaults to
	// 30 seconds.
	Read time.Duration
	// Write is how long a request may take from the end of its head to the end
	// of its answer. A handler can change the deadline by [http.ResponseController], as package
	// framework does for files. Defaults to 60 seconds.
	Write time.Duration
	// Idle is how long a connection stays open between requests. Defaults to 2
	// minutes.
	Idle time.Duration
	// HeaderBytes is the size limit of the head of a request. net/http adds 4 KiB with HTTP/1
	// and 320 bytes with HTTP/2. Defaults to 16 KiB.
	HeaderBytes int
	// Stall is how long a body may pause. Defaults to 5 seconds.
	Stall time.Duration
	// Grace and Pace limit the time of all reads of a body: it may be Grace, and one second
	// more for each Pace bytes that arrived. They default to 10 seconds and 4096 bytes.
	Grace time.Duration
	Pace  int
	// Conns is how many connections may be open, and how many HTTP/2 requests all of them
	// may have in addition to the first of each. Defaults to 2048. If the process may open too
	// few files, it is the limit of open files less SpareFiles, or a quarter of the limit of
	// open files if that is more.
	Conns int
	// SpareFiles is how many open files are left for other uses, such as connections to a
	// database; see Conns for the exception. Defaults to 128.
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
// or fewer if too few files are left after SpareFiles. In that case the limit is not less than a
// quarter of the files, nor less than 1. If files is 0, the number is unknown, and the limit is
// Conns.
func (l Limits) within(files int) int {
	if files <= 0 {
		return l.Conns
	}
	return min(l.Conns, max(files-l.SpareFiles, files/4, 1))
}
