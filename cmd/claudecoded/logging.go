// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

const (
	// maxQueuedLines bounds the lines that wait for a slow stderr or disk; what
	// comes meanwhile is counted and dropped.
	maxQueuedLines = 1024
	// maxLine bounds one line in bytes; the rest of it is cut off.
	maxLine = 4096
	// flushTimeout bounds how long the end of the process waits for the queue: a
	// Neovim that is busy does not read stderr.
	flushTimeout = 100 * time.Millisecond
	// levelTrace is below slog's own levels, as the plugin's "trace" is.
	levelTrace = slog.LevelDebug - 4
)

var logLevels = map[string]slog.Level{
	"trace": levelTrace,
	"debug": slog.LevelDebug,
	"info":  slog.LevelInfo,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
}

// logging is the process's log: to stderr and, once configured, to a file. Lines are
// written by a goroutine of its own, so that logging never waits.
type logging struct {
	*slog.Logger
	level   slog.LevelVar
	file    atomic.Pointer[os.File]
	queue   chan []byte
	dropped atomic.Int64
	ending  chan struct{}
	ended   chan struct{}
}

func newLogging(stderr io.Writer) *logging {
	l := &logging{
		queue:  make(chan []byte, maxQueuedLines),
		ending: make(chan struct{}),
		ended:  make(chan struct{}),
	}
	options := &slog.HandlerOptions{Level: &l.level, ReplaceAttr: nameTrace}
	l.Logger = slog.New(slog.NewTextHandler(l, options))
	go l.run(stderr)
	return l
}

func nameTrace(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.LevelKey && a.Value.Any() == levelTrace {
		a.Value = slog.StringValue("TRACE")
	}
	return a
}

// configure sets the level and, if file is not empty, opens the file to append to. It
// and its folder are made if missing, for the user alone.
func (l *logging) configure(level, file string) error {
	if level != "" {
		value, known := logLevels[level]
		if !known {
			return fmt.Errorf("unknown log level %q", level)
		}
		l.level.Set(value)
	}
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("making the log file's folder: %w", err)
	}
	opened, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log file: %w", err)
	}
	if before := l.file.Swap(opened); before != nil {
		_ = before.Close()
	}
	return nil
}

// Write queues one line of the handler, which reuses its bytes.
func (l *logging) Write(line []byte) (int, error) {
	kept := append([]byte(nil), line[:min(len(line), maxLine)]...)
	kept[len(kept)-1] = '\n'
	select {
	case l.queue <- kept:
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

// close writes what is queued, for at most flushTimeout. What is logged later is lost.
func (l *logging) close() {
	close(l.ending)
	select {
	case <-l.ended:
	case <-time.After(flushTimeout):
	}
}

func (l *logging) run(stderr io.Writer) {
	defer close(l.ended)
	for {
		select {
		case line := <-l.queue:
			l.write(stderr, line)
		case <-l.ending:
			for len(l.queue) > 0 {
				l.write(stderr, <-l.queue)
			}
			return
		}
	}
}

// write has nobody to tell that a log cannot be written.
func (l *logging) write(stderr io.Writer, line []byte) {
	if dropped := l.dropped.Swap(0); dropped > 0 {
		line = fmt.Appendf(line, "level=WARN msg=\"log lines dropped\" lines=%d\n", dropped)
	}
	_, _ = stderr.Write(line)
	if file := l.file.Load(); file != nil {
		_, _ = file.Write(line)
	}
}
