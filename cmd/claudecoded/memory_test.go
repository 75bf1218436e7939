// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"testing"
	"time"

	"claudecoded/reactor/fake"
)

func TestTidier_GivesMemoryBackOnceNoLargeMessageCameForAWhile(t *testing.T) {
	t.Parallel()
	loop := fake.New()
	freed := 0
	tidy := newTidier(loop)
	tidy.free = func() { freed++ }
	tidy.received(largeMessage - 1)
	loop.Advance(time.Minute)
	tidy.received(largeMessage)
	loop.Advance(tidyAfter - time.Millisecond)
	tidy.received(100 << 20)
	loop.Advance(tidyAfter - time.Millisecond)
	if freed != 0 {
		t.Fatal("too early")
	}
	loop.Advance(time.Hour)
	if freed != 1 {
		t.Errorf("%d times", freed)
	}
	tidy.received(largeMessage)
	loop.Advance(tidyAfter)
	if freed != 2 {
		t.Errorf("%d times after one that is just large", freed)
	}
}
