// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"slices"
	"time"
)

// News is what clients changed, in short.
type News struct {
	// Turn is the newest turn that changed anything, 0 if there is none; Files is how many.
	Turn  int64
	Files int
	// Revisions are those of all turns that changed anything, oldest first.
	Revisions []Revision
}

// Revision is a number that is another one once a turn changed other files, or changed them
// otherwise.
type Revision struct{ Turn, Number int64 }

// changed tells, not too often, that what clients changed is not what it was.
type changed struct {
	timer *time.Timer
	told  News
}

// due is when to tell; nil if there is nothing to tell.
func (c *changed) due() <-chan time.Time {
	if c.timer == nil {
		return nil
	}
	return c.timer.C
}

func (c *changed) note() {
	if c.timer == nil {
		c.timer = time.NewTimer(changedEvery)
	}
}

func (c *changed) tell(b *book) {
	c.timer = nil
	var now News
	for _, t := range b.turns {
		if n := len(t.changes()); n > 0 {
			now.Turn, now.Files = t.id, n
			now.Revisions = append(now.Revisions, Revision{t.id, t.revision})
		}
	}
	if now.Turn == c.told.Turn && slices.Equal(now.Revisions, c.told.Revisions) && now.Files == c.told.Files {
		return
	}
	c.told = now
	b.keeper.cfg.Post(func() { b.keeper.cfg.Changed(now) })
}
