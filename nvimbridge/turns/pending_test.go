// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// stall fills the queue of a keeper. What it returns ends that.
func (b *bench) stall() (end func()) {
	b.Helper()
	stuck, began := make(chan struct{}), make(chan struct{})
	b.on(func() { b.request(func() { close(began); <-stuck }) })
	<-began
	b.on(func() {
		for b.offer(func() {}) {
		}
	})
	return func() { close(stuck) }
}

func TestStall_LosesNothingThatMatters(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.write("mine", "one\n")
	b.write("f", "one\n")
	b.prompt()
	b.edits("a.key", "SECRET\n")
	b.edits("b", "SECRET\n")
	b.announce("mine")
	b.goesOn()
	end := b.stall()
	b.on(func() {
		b.Folders([]string{"/x"})
		b.Folders([]string{b.dir, "/y"})
		b.Review(Options{Secret: []string{"*.none"}})
		b.Forget([]string{b.path("b")})
		b.Forget([]string{b.path("c")})
		b.Saved(b.path("mine"))
		b.Review(hiding)
		b.Left(1)
		for range 3 * maxRequests { // bounded
			b.Saved(b.path("mine"))
		}
	})
	b.write("mine", "the user's\n")
	end()
	eventually(t, "the turn ends", func() bool {
		var all []Summary
		b.until(func(done func()) { b.List(func(s []Summary) { all = s; done() }) })
		return len(all) == 1 && !all[0].Open
	})
	b.nowhere("SECRET")
	b.expect("edit created a.key +0 -0", "edit created b +0 -0")
	b.until(func(done func()) {
		b.request(func() {
			if got := fmt.Sprint(b.book.folders); got != fmt.Sprint([]string{b.dir, "/y"}) || !b.book.forgotten[b.path("c")] {
				t.Errorf("the folders are %s, forgotten is %v", got, b.book.forgotten)
			}
			done()
		})
	})
}

func TestStall_IsToldOnceWithTheNumber(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	var log bytes.Buffer
	b.on(func() { b.cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	end := b.stall()
	b.on(func() {
		for range 5 {
			b.Began(1, "")
		}
		b.Forget([]string{"/x"})
	})
	end()
	eventually(t, "it is told", func() (ok bool) {
		b.on(func() { ok = log.Len() > 0 })
		return ok
	})
	b.list()
	b.on(func() {
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "number=5") {
			t.Errorf("log %q", text)
		}
	})
}

func TestStall_ThatForgetsTooMuchKeepsNothing(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	end := b.stall()
	b.on(func() {
		var paths []string
		for i := range maxForgotten + 10 {
			paths = append(paths, fmt.Sprintf("/x/%d", i))
		}
		b.Forget(paths)
		if n := len(b.pending.forgotten); n != maxForgotten {
			t.Errorf("%d wait", n)
		}
	})
	end()
	eventually(t, "it is heard", func() (ok bool) {
		b.on(func() { ok = !b.pending.some && len(b.requests) == 0 })
		return ok
	})
	b.list()
	b.write("f", "one\n")
	b.prompt()
	b.edits("f", "two\n")
	b.expect("edit modified f +0 -0 secret")
}
