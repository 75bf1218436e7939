// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"testing"

	"claudecoded/session"
)

// A loop that was held up past a deadline has not looked yet at what came in time.
func TestHTTPDeadlines_LookFirstAtWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	whole := ask("POST", "/mcp", "body")
	for name, c := range map[string]struct {
		before, rest []byte
		served       int
	}{
		"of a head":          {whole[:20], whole[20:], 1},
		"of a body":          {whole[:len(whole)-2], whole[len(whole)-2:], 1},
		"of a second head":   {append(ask("POST", "/mcp", "a"), whole[:20]...), whole[20:], 2},
		"of a head not done": {whole[:20], whole[20:21], 0},
		"of a body not done": {whole[:len(whole)-3], whole[len(whole)-3 : len(whole)-2], 0},
	} {
		w, s := newSite(t)
		p := w.loop.Connect()
		p.Send(c.before)
		w.loop.Settle()
		w.loop.InPoll(func() {
			p.Send(c.rest)
			w.loop.Block(2 * session.BodyTimeout)
		})
		w.loop.Turn()
		w.loop.Settle()
		if len(s.asked) != c.served {
			t.Errorf("%s: served %d, closed: %t, answered %q", name, len(s.asked), p.Closed(), p.Take())
		}
	}
}
