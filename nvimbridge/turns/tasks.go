// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

// maxTasks is how many tasks may wait.
const maxTasks = 256

// task is what takes too long for the keeper's goroutine.
type task struct {
	// run is called on a goroutine of its own.
	run func() error
	// done is called once, on the keeper's goroutine, with what run returned, ErrUnknown if
	// that panicked, or ErrBusy if too many wait for it to be run at all. What somebody waits
	// for it does whatever comes: by defer.
	done func(error)
}

// work is what tasks do.
type work struct {
	take  func(r *reader, folder string) (*picture, error)
	look  func(p *picture, r *reader, known map[string]knownFile) ([]change, error)
	count func(before, after []byte) (added, removed int)
	write func(w *writing, files []Put)
}

var allWork = work{take, (*picture).look, countLines, (*writing).run}

// tasks are run one after the other. They belong to the keeper's goroutine.
type tasks struct {
	waiting []task
	running bool
}

// add has a task run.
func (s *tasks) add(b *book, t task) {
	if len(s.waiting) >= maxTasks {
		b.keeper.cfg.Log.Warn("too many tasks about turns wait; one is lost")
		t.done(ErrBusy)
		return
	}
	s.waiting = append(s.waiting, t)
	s.next(b)
}

func (s *tasks) next(b *book) {
	if s.running || len(s.waiting) == 0 {
		return
	}
	t := s.waiting[0]
	s.waiting[0] = task{}
	s.waiting = s.waiting[1:]
	s.running = true
	b.keeper.wg.Go(func() {
		err := ErrUnknown
		b.keeper.contain(func() { err = t.run() })
		b.keeper.deliver(func() {
			s.running = false
			s.next(b)
			t.done(err)
		})
	})
}
