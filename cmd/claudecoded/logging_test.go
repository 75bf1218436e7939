// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLogging_WritesToStderrAndFileFromItsLevelOn(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	file := filepath.Join(t.TempDir(), "new", "log")
	l := newLogging(&stderr)
	if err := l.configure("warn", file); err != nil {
		t.Fatal(err)
	}
	l.Info("unimportant")
	l.Warn("important", "n", 1)
	l.close()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != stderr.String() || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), "msg=important n=1") {
		t.Errorf("file %q, stderr %q", text, &stderr)
	}
	for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestLogging_AppendsToItsFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	for range 2 {
		l := newLogging(io.Discard)
		if err := l.configure("", file); err != nil {
			t.Fatal(err)
		}
		l.Info("started")
		l.close()
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "started") != 2 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestLogging_NamesTheLevelBelowDebug(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	l := newLogging(&stderr)
	if err := l.configure("trace", ""); err != nil {
		t.Fatal(err)
	}
	l.Log(t.Context(), levelTrace, "deep")
	l.close()
	if !strings.Contains(stderr.String(), "level=TRACE") {
		t.Errorf("%q", &stderr)
	}
	if err := l.configure("loud", ""); err == nil {
		t.Error("an unknown level was taken")
	}
}

func TestLogging_CutsALongLine(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	l := newLogging(&stderr)
	l.Info(strings.Repeat("x", 2*maxLine))
	l.close()
	if text := stderr.String(); len(text) != maxLine || !strings.HasSuffix(text, "x\n") {
		t.Errorf("a line of %d bytes", len(text))
	}
}

// stuck is a stderr that nobody reads.
type stuck struct {
	entered chan struct{}
	release chan struct{}
	written bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-s.release
	return s.written.Write(p)
}

func TestLogging_NeverWaitsAndCountsWhatItDrops(t *testing.T) {
	t.Parallel()
	stderr := &stuck{entered: make(chan struct{}, 1), release: make(chan struct{})}
	l := newLogging(stderr)
	l.Info("first")
	<-stderr.entered
	for range maxQueuedLines + 5 {
		l.Info("more")
	}
	close(stderr.release)
	l.close()
	<-l.ended
	text := stderr.written.String()
	if n := strings.Count(text, "msg=more"); n != maxQueuedLines || !strings.Contains(text, `msg="log lines dropped" lines=5`) {
		t.Errorf("%d lines, end %q", n, text[max(0, len(text)-200):])
	}
}

func TestLogging_EndsThoughNobodyReads(t *testing.T) {
	t.Parallel()
	stderr := &stuck{entered: make(chan struct{}, 1), release: make(chan struct{})}
	l := newLogging(stderr)
	l.Info("never read")
	<-stderr.entered
	closed := make(chan struct{})
	go func() {
		l.close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the end of the process waits for stderr")
	}
	close(stderr.release)
	<-l.ended
	<-closed
	l.Info("after the end") // is lost, and harms nothing
}
