package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// A prober probes the server for a pulse, with a connection that it keeps.
type prober struct {
	pulse *pulse
	conn  *pgdriver.Conn
}

// probe returns nil when the server answers, errNoPulse if it is silent, and any other error
// with which the statement or the connection fails. If the statement gets no answer, it
// requests a new connection.
func (q *prober) probe() error {
	if err := q.pulse.answer(q.put, q.pulse.ticks(putTicks)); !errors.Is(err, errNoPulse) {
		return err
	}
	return q.pulse.answer(func(ctx context.Context) error {
		made, err := q.pulse.knock(ctx)
		if err == nil {
			_ = made.Close()
		}
		return err
	}, q.pulse.ticks(knockTicks))
}

// ticks returns how many silent ticks a probe waits for: more if there is no connection.
func (p *pulse) ticks(few int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.conns) == 0 {
		return aloneTicks
	}
	return few
}

// answer returns the result of send. If the server sends nothing for so many ticks in a row,
// answer cancels send and returns errNoPulse, unless send succeeded at the last moment.
func (p *pulse) answer(send func(context.Context) error, ticks int) error {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- send(ctx) }()
	tick := time.NewTicker(pulseTick)
	defer tick.Stop()
	for silent := 0; silent < ticks; silent++ {
		before := p.heard.Load()
		select {
		case err := <-answered:
			return err
		case <-tick.C:
		}
		if p.heard.Load() != before {
			silent = -1
		}
	}
	cancel()
	if err := <-answered; err == nil { // at the last moment
		return nil
	}
	return errNoPulse
}

// put connects, unless the prober is connected, and sends SELECT 1. If that fails, it closes
// the connection.
func (q *prober) put(ctx context.Context) (err error) {
	if q.conn == nil {
		if q.conn, err = q.pulse.dial(ctx); err != nil {
			q.conn = nil
			return err
		}
	}
	asked := q.conn
	stop := context.AfterFunc(ctx, func() { _ = asked.Close() })
	_, err = asked.ExecContext(ctx, "SELECT 1", nil)
	if !stop() || err != nil {
		q.close()
	}
	return err
}

func (q *prober) close() {
	if q.conn != nil {
		_ = q.conn.Close()
		q.conn = nil
	}
}
