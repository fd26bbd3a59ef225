package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// A question is what a pulse asks of the server, by a connection that it keeps.
type question struct {
	pulse *pulse
	conn  *pgdriver.Conn
}

// ask is nil when the server answers, and errNoPulse if nothing comes of it.
func (q *question) ask() error {
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

// ticks are for how many a question waits: longer where there is no connection.
func (p *pulse) ticks(few int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.conns) == 0 {
		return aloneTicks
	}
	return few
}

// answer is what comes of a question, errNoPulse if nothing comes for some ticks.
func (p *pulse) answer(ask func(context.Context) error, ticks int) error {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- ask(ctx) }()
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

// put connects, unless that was done, and sends the least that has an answer.
func (q *question) put(ctx context.Context) (err error) {
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
		q.hangUp()
	}
	return err
}

func (q *question) hangUp() {
	if q.conn != nil {
		_ = q.conn.Close()
		q.conn = nil
	}
}
