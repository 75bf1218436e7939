// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import "time"

const (
	// acceptPause is how long a listener rests after an accept error that trying
	// again at once would not cure.
	acceptPause = 100 * time.Millisecond
	// episodeGap without a failed accept ends an episode of them.
	episodeGap = 10 * time.Second
)

// episode makes a row of failed accepts one line in the log.
type episode struct{ last time.Time }

// begins notes a failure and reports whether it is the first of an episode.
func (e *episode) begins(now time.Time) bool {
	first := now.Sub(e.last) > episodeGap
	e.last = now
	return first
}
