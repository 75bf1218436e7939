// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// call runs f and survives its panic.
func (l *core) call(where string, f func()) {
	defer l.contain(where)
	f()
}

// contain, deferred, ends a panic.
func (l *core) contain(where string) {
	if v := recover(); v != nil {
		l.report(where, v)
	}
}

// report logs a panic. Its value may quote a message, so only the runtime's own
// errors are logged by text, others by type.
func (l *core) report(where string, v any) {
	what := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		what = err.Error()
	}
	l.log.Error("callback panicked", "callback", where, "panic", what, "stack", string(debug.Stack()))
}
