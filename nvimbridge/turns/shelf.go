// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

const (
	// entryCost is how many bytes a file of a turn takes beside its contents: what is known of it,
	// its name and its place in tables.
	entryCost = 1 << 10
	// looseCost is what one of a picture takes.
	looseCost = 512
)

// shelf holds the bytes of states, each content once, and counts what they take in memory.
// It belongs to the keeper's goroutine.
type shelf struct {
	texts map[digest]*text
	used  int
}

// enter counts files that are known, or are not any more.
func (s *shelf) enter(files, cost int) { s.used += files * cost }

// keep puts a state's bytes on the shelf; every keep needs a release.
func (s *shelf) keep(state State) State {
	if state.text == nil {
		return state
	}
	if there := s.texts[state.sum]; there != nil {
		state.text = there
	} else {
		if tight := exact(state.text.bytes); cap(tight) < cap(state.text.bytes) {
			state.text = &text{bytes: tight} // others may be reading the one that it has
		}
		s.texts[state.sum] = state.text
		s.used += cap(state.text.bytes)
	}
	state.text.refs++
	return state
}

// exact are bytes without the room behind them, if that is more than an eighth.
func exact(content []byte) []byte {
	if content == nil || cap(content)-len(content) <= len(content)/8 {
		return content
	}
	tight := make([]byte, len(content))
	copy(tight, content)
	return tight
}

// release takes a state's bytes off the shelf, unless another has the same.
func (s *shelf) release(state State) {
	t := state.text
	if t == nil || t.refs == 0 {
		return
	}
	if t.refs--; t.refs == 0 {
		delete(s.texts, state.sum)
		s.used -= cap(t.bytes)
	}
}

// strip releases a state's bytes and returns what is left of it.
func (s *shelf) strip(state State, why Why) State {
	s.release(state)
	if state.text == nil && why != Secret {
		return state // whyever they are not there
	}
	return state.without(why)
}
