// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge"
)

const (
	// maxQueuedRecords bounds the records that wait for a slow disk; what comes meanwhile
	// is counted and dropped.
	maxQueuedRecords = 1024
	// auditSize is from how many bytes on another file is begun, unless the user says.
	auditSize = 5 << 20
	// auditKept is how many files there are besides the one that is written.
	auditKept = 3
)

// errAuditFile is why something is not written to.
var errAuditFile = errors.New("it is a link, or no file, or was replaced just now: name a file in audit.file")

// auditing writes a line of JSON for each call that ended, by a goroutine of its own, so
// that the loop never waits for the disk. Its methods run on the loop goroutine.
type auditing struct {
	log *slog.Logger
	// tell tells the user, from any goroutine.
	tell    func(message string)
	options nvimbridge.AuditOptions
	queue   chan auditItem // nil while there is no file
	dropped int
	ended   chan struct{}
}

// auditItem is a record, and how many were dropped before it.
type auditItem struct {
	record  mcp.Record
	at      time.Time
	dropped int
}

// auditLine is a record as it is written.
type auditLine struct {
	Time     string `json:"time"`
	Client   string `json:"client"`
	Name     string `json:"name,omitempty"`
	Tool     string `json:"tool"`
	Decision string `json:"decision"`
	Rule     string `json:"rule,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Outcome  string `json:"outcome"`
	BytesIn  int    `json:"bytes_in"`
	BytesOut int    `json:"bytes_out"`
	TookMS   int64  `json:"took_ms"`
	WaitedMS int64  `json:"waited_ms,omitempty"`
	// Dropped is how many records before this one were lost.
	Dropped int `json:"dropped,omitempty"`
}

// configure has the records written to another file, or to none.
func (a *auditing) configure(o nvimbridge.AuditOptions) {
	if o.MaxSize <= 0 {
		o.MaxSize = auditSize
	}
	if o == a.options {
		return
	}
	a.end()
	if a.options = o; o.File == "" {
		return
	}
	a.queue, a.ended = make(chan auditItem, maxQueuedRecords), make(chan struct{})
	w := &auditWriter{path: o.File, limit: o.MaxSize, log: a.log, tell: a.tell}
	go w.run(a.queue, a.ended)
}

// Audit implements mcp.Auditor.
func (a *auditing) Audit(r mcp.Record) {
	if a.queue == nil {
		return
	}
	select {
	case a.queue <- auditItem{r, r.Began.Add(r.Took), a.dropped}:
		a.dropped = 0
	default:
		a.dropped++
	}
}

// end lets the goroutine write what is queued and end.
func (a *auditing) end() {
	if a.queue != nil {
		close(a.queue)
		a.queue = nil
	}
}

// close is end, and waits for at most flushTimeout. The loop has stopped.
func (a *auditing) close() {
	if a.queue == nil {
		return
	}
	a.end()
	select {
	case <-a.ended:
	case <-time.After(flushTimeout):
	}
}

// auditWriter is the goroutine's own.
type auditWriter struct {
	path   string
	limit  int64
	log    *slog.Logger
	tell   func(message string)
	file   *os.File
	is     fs.FileInfo // of file when it was opened
	size   int64
	failed bool // which was told
}

func (w *auditWriter) run(queue <-chan auditItem, ended chan<- struct{}) {
	defer close(ended)
	lost := 0
	for it := range queue {
		it.dropped += lost
		if err := w.write(it); err != nil {
			lost = it.dropped + 1
			w.fail(err)
			continue
		}
		lost, w.failed = 0, false
	}
	if w.file != nil {
		_ = w.file.Close()
	}
}

// fail says once that records are lost, until one is written again.
func (w *auditWriter) fail(err error) {
	if !w.failed {
		w.log.Warn("the audit log cannot be written", "error", err)
		w.tell(fmt.Sprintf("the audit log cannot be written: %v", err))
	}
	w.failed = true
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

func (w *auditWriter) write(it auditItem) error {
	line, err := json.Marshal(describe(it))
	if err != nil {
		return fmt.Errorf("encoding a record: %w", err)
	}
	line = append(line, '\n')
	if err := w.open(int64(len(line))); err != nil {
		return err
	}
	n, err := w.file.Write(line)
	w.size += int64(n)
	return err
}

// open has a file with room for n bytes, for the user alone.
func (w *auditWriter) open(n int64) error {
	info, err := w.look()
	if err != nil {
		return err
	}
	// Who removed or renamed it, as another editor's daemon does, does not have it any more.
	if w.file != nil && info != nil && os.SameFile(info, w.is) && w.size+n <= w.limit {
		return nil
	}
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return fmt.Errorf("making the audit log's folder: %w", err)
	}
	if info != nil && info.Size() > 0 && info.Size()+n > w.limit {
		if err := w.rotate(); err != nil {
			return fmt.Errorf("beginning another audit log: %w", err)
		}
	}
	file, err := os.OpenFile(w.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	if err := w.take(file); err != nil {
		_ = file.Close()
		return err
	}
	w.file = file
	return nil
}

// look is what is at the log's place, nil if nothing is. A link would have us write, and
// close to others, whatever it leads to; a pipe would have us wait.
func (w *auditWriter) look() (fs.FileInfo, error) {
	info, err := os.Lstat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking at the audit log: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", w.path, errAuditFile)
	}
	return info, nil
}

// take makes an open file the log, if it is at its place.
func (w *auditWriter) take(file *os.File) error {
	info, err := w.look()
	if err != nil {
		return err
	}
	if w.is, err = file.Stat(); err != nil {
		return fmt.Errorf("looking at the audit log: %w", err)
	}
	if info == nil || !os.SameFile(info, w.is) {
		return fmt.Errorf("%s: %w", w.path, errAuditFile)
	}
	if w.is.Mode().Perm()&0o077 != 0 {
		if err := file.Chmod(0o600); err != nil {
			return fmt.Errorf("closing the audit log to others: %w", err)
		}
	}
	if w.size = w.is.Size(); w.size == 0 {
		return nil
	}
	// A disk that was full may have taken half a line.
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, w.size-1); err != nil {
		return fmt.Errorf("reading the audit log's end: %w", err)
	}
	if last[0] != '\n' {
		n, err := file.Write([]byte{'\n'})
		w.size += int64(n)
		return err
	}
	return nil
}

// rotate renames F to F.1, that to F.2 and so on; the oldest is overwritten.
func (w *auditWriter) rotate() error {
	name := func(i int) string {
		if i == 0 {
			return w.path
		}
		return fmt.Sprintf("%s.%d", w.path, i)
	}
	for i := auditKept - 1; i >= 0; i-- {
		if err := os.Rename(name(i), name(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func describe(it auditItem) auditLine {
	r := it.record
	return auditLine{
		Time: it.at.UTC().Format("2006-01-02T15:04:05.000Z"), Client: r.Client, Name: r.Name, Tool: r.Tool,
		Decision: r.Action.String(), Rule: r.Rule, Answer: r.Answer, Outcome: r.Outcome,
		BytesIn: r.In, BytesOut: r.Out,
		TookMS: r.Took.Milliseconds(), WaitedMS: r.Waited.Milliseconds(), Dropped: it.dropped,
	}
}
