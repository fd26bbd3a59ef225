package standby

import "sync/atomic"

// Runs stores how many connections were made, and to which run of a server the latest one
// leads. A restart of a server begins a new run. It is safe for concurrent use.
type Runs struct{ latest atomic.Pointer[serverRun] }

// Connected records that a connection was made to a run of a server. The run and the number
// change in one step, so that what was read from one server is not used for another.
func (r *Runs) Connected(run string) {
	for {
		before := r.latest.Load()
		if r.latest.CompareAndSwap(before, &serverRun{run: run, made: before.count() + 1}) {
			return
		}
	}
}

// Made returns how many connections were made.
func (r *Runs) Made() uint64 { return r.latest.Load().count() }

// IsLatest reports whether the latest connection leads to a run. Behind one address there
// may be several servers. It must not be called before the first [Runs.Connected].
func (r *Runs) IsLatest(run string) bool { return r.latest.Load().run == run }

// A serverRun is one run of one server.
type serverRun struct {
	run  string
	made uint64 // how many connections were made
}

func (r *serverRun) count() uint64 {
	if r == nil {
		return 0
	}
	return r.made
}
