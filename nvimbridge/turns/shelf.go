// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

// shelf holds the bytes of states, each content once, and counts them. It belongs to the
// keeper's goroutine.
type shelf struct {
	texts map[digest]*text
	used  int
}

// keep puts a state's bytes on the shelf; every keep needs a release.
func (s *shelf) keep(state State) State {
	if state.text == nil {
		return state
	}
	if there := s.texts[state.sum]; there != nil {
		state.text = there
	} else {
		s.texts[state.sum] = state.text
		s.used += len(state.text.bytes)
	}
	state.text.refs++
	return state
}

// release takes a state's bytes off the shelf, unless another has the same.
func (s *shelf) release(state State) {
	t := state.text
	if t == nil || t.refs == 0 {
		return
	}
	if t.refs--; t.refs == 0 {
		delete(s.texts, state.sum)
		s.used -= len(t.bytes)
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
