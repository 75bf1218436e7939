// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

// maxTasks is how many tasks may wait.
const maxTasks = 256

// tasks are run one after the other, on a goroutine each. What they are belongs to the
// keeper's goroutine.
type tasks struct {
	waiting []func() (then func())
	running bool
}

// add has a task run, and what it returns on the keeper's goroutine after it. It reports
// false, and runs neither, if too many wait.
func (s *tasks) add(b *book, task func() (then func())) bool {
	if len(s.waiting) >= maxTasks {
		b.keeper.cfg.Log.Warn("too many tasks about turns wait; one is lost")
		return false
	}
	s.waiting = append(s.waiting, task)
	s.next(b)
	return true
}

func (s *tasks) next(b *book) {
	if s.running || len(s.waiting) == 0 {
		return
	}
	task := s.waiting[0]
	s.waiting[0] = nil
	s.waiting = s.waiting[1:]
	s.running = true
	b.keeper.wg.Go(func() {
		then := func() {}
		b.keeper.contain(func() { then = task() })
		b.keeper.deliver(func() {
			s.running = false
			s.next(b)
			then()
		})
	})
}
