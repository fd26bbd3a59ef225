package fair

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestSim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Slots: 2, Timeout: 5 * time.Second, Depth: 64, HalfLife: time.Minute})
		ctx, stop := context.WithCancel(t.Context())
		once := func(addr string, wrong bool) error {
			turn, err := q.Acquire(With(ctx, Client{Address: addr, Anonymous: true}))
			if err != nil {
				return err
			}
			time.Sleep(57 * time.Millisecond)
			if wrong {
				turn.EndFined(time.Second)
			} else {
				turn.End()
			}
			return nil
		}
		for i := range 110 {
			go func() {
				time.Sleep(time.Duration(i*9) * time.Millisecond)
				for ctx.Err() == nil {
					go once(fmt.Sprint("bad", i), true)
					time.Sleep(time.Second)
				}
			}()
		}
		for range 30 {
			time.Sleep(time.Second)
			began := time.Now()
			err := once("good", false)
			q.mu.Lock()
			lo, hi := 1e9, 0.0
			for _, l := range q.lines {
				lo, hi = min(lo, l.rank.rank()), max(hi, l.rank.rank())
			}
			fmt.Println(err, time.Since(began), "level", q.level, "waiting", q.waiting, lo, hi, "good", q.account(ofAddress, "good", 2).rank())
			q.mu.Unlock()
		}
		stop()
		time.Sleep(10 * time.Second)
	})
}
