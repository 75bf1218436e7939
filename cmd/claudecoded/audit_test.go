// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge"
)

var someRecord = mcp.Record{
	Began: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Took: 1500 * time.Millisecond, Waited: time.Second,
	Tool: "nvim_x", Client: "mcp_1", Name: "n", Action: mcp.Ask, Rule: "R", Answer: "once", In: 3, Out: 4, Outcome: "ok",
}

func TestAudit_WritesALineForEachCall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "audit.jsonl")
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}}
	a.Audit(someRecord) // nowhere
	a.configure(nvimbridge.AuditOptions{File: file})
	a.Audit(someRecord)
	a.Audit(mcp.Record{Began: someRecord.Began, Tool: "t", Client: "client_1", Outcome: "failed"})
	a.close()
	<-a.ended
	text, err := os.ReadFile(file)
	want := `{"time":"2026-11-30T12:00:01.500Z","client":"mcp_1","name":"n","tool":"nvim_x","decision":"ask","rule":"R",` +
		`"answer":"once","outcome":"ok","bytes_in":3,"bytes_out":4,"took_ms":1500,"waited_ms":1000}
{"time":"2026-11-30T12:00:00.000Z","client":"client_1","tool":"t","decision":"allow","outcome":"failed","bytes_in":0,"bytes_out":0,"took_ms":0}
`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestAudit_TakesAFileFromOthers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}}
	a.configure(nvimbridge.AuditOptions{File: file})
	a.Audit(someRecord)
	a.close()
	<-a.ended
	text, err := os.ReadFile(file)
	info, _ := os.Stat(file)
	if err != nil || !bytes.HasPrefix(text, []byte("old\n{")) || info.Mode() != 0o600 {
		t.Errorf("%s, %v, %v", text, info, err)
	}
}

func TestAudit_BeginsAnotherFileWhenOneIsFull(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	line, _ := json.Marshal(describe(auditItem{record: someRecord, at: someRecord.Began}))
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}}
	a.configure(nvimbridge.AuditOptions{File: file, MaxSize: int64(2*len(line) + 10)})
	const calls = 12
	for range calls {
		a.Audit(someRecord)
	}
	a.close()
	<-a.ended
	found, err := filepath.Glob(file + "*")
	if err != nil || len(found) != auditKept+1 {
		t.Errorf("%q, %v", found, err)
	}
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 || info.Size() > int64(2*len(line)+10) || info.Size() == 0 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestAudit_IsBoundedUnlessItIsTold(t *testing.T) {
	t.Parallel()
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}}
	a.configure(nvimbridge.AuditOptions{File: filepath.Join(t.TempDir(), "audit.jsonl")})
	ended := a.ended
	if a.options.MaxSize != 5<<20 || cap(a.queue) != 1024 {
		t.Errorf("a file has %d bytes, %d records wait", a.options.MaxSize, cap(a.queue))
	}
	a.close()
	<-ended
}

func TestAudit_NeverWaitsAndCountsWhatItDrops(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	// Nobody takes the records yet.
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}, queue: make(chan auditItem, maxQueuedRecords), ended: make(chan struct{})}
	for range maxQueuedRecords + 5 {
		a.Audit(someRecord)
	}
	queue := a.queue
	<-queue
	a.Audit(someRecord)
	a.end()
	(&auditWriter{path: file, limit: auditSize, log: a.log}).run(queue, a.ended)
	text, err := os.ReadFile(file)
	if err != nil || bytes.Count(text, []byte("\n")) != maxQueuedRecords || !bytes.HasSuffix(text, []byte(`"dropped":5}`+"\n")) {
		t.Errorf("%d lines, %v", bytes.Count(text, []byte("\n")), err)
	}
}

// TestAudit_SaysOnceThatItCannotWrite makes the disk fail, and then not.
func TestAudit_SaysOnceThatItCannotWrite(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // which is none
		t.Fatal(err)
	}
	file := filepath.Join(folder, "audit.jsonl")
	var log bytes.Buffer
	var told []string
	w := &auditWriter{
		path: file, limit: auditSize, log: slog.New(slog.NewTextHandler(&log, nil)),
		tell: func(message string) { told = append(told, message) },
	}
	queue, ended := make(chan auditItem), make(chan struct{})
	go w.run(queue, ended)
	for range 3 {
		queue <- auditItem{record: someRecord}
	}
	queue <- auditItem{record: mcp.Record{Tool: "last"}} // so that those before it were tried
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	queue <- auditItem{record: someRecord}
	close(queue)
	<-ended
	if n := strings.Count(log.String(), "cannot be written"); n != 1 || len(told) != 1 {
		t.Errorf("said %d times: %s, told %q", n, &log, told)
	}
	var line auditLine
	text, err := os.ReadFile(file)
	last := text[bytes.LastIndexByte(bytes.TrimSpace(text), '\n')+1:]
	if err != nil || json.Unmarshal(last, &line) != nil {
		t.Fatalf("%s, %v", text, err)
	}
	// The one before the last may have been written already.
	if first := bytes.SplitN(text, []byte("\n"), 2)[0]; !bytes.Contains(first, []byte(fmt.Sprintf(`"dropped":%d`, 3))) &&
		!bytes.Contains(first, []byte(`"dropped":4`)) {
		t.Errorf("the first line is %s", first)
	}
}

// written has records written to a file, one after the other, with something done before each.
func written(t *testing.T, file string, before ...func()) (text string, told []string) {
	t.Helper()
	w := &auditWriter{
		path: file, limit: auditSize, log: slog.New(slog.DiscardHandler),
		tell: func(message string) { told = append(told, message) },
	}
	for _, f := range before {
		f()
		if err := w.write(auditItem{record: someRecord}); err != nil {
			w.fail(err)
		}
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	all, _ := os.ReadFile(file)
	return string(all), told
}

func TestAudit_WritesToNothingButAFileAtItsPlace(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(file, other string) error{
		"a link":          func(file, other string) error { return os.Symlink(other, file) },
		"a dangling link": func(file, other string) error { return os.Symlink(other+".none", file) },
		"a folder":        func(file, _ string) error { return os.Mkdir(file, 0o700) },
		"a device":        func(file, _ string) error { return os.Symlink(os.DevNull, file) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			file, other := filepath.Join(folder, "audit.jsonl"), filepath.Join(folder, "other")
			if err := os.WriteFile(other, []byte("kept"), 0o644); err != nil {
				t.Fatal(err)
			}
			_, told := written(t, file, func() {
				if err := place(file, other); err != nil {
					t.Fatal(err)
				}
			})
			kept, _ := os.ReadFile(other)
			info, err := os.Stat(other)
			if err != nil || string(kept) != "kept" || info.Mode().Perm()&0o004 == 0 {
				t.Errorf("the other file is %q, %v, %v", kept, info, err)
			}
			if _, err := os.Stat(other + ".none"); err == nil {
				t.Error("a file was made elsewhere")
			}
			if len(told) != 1 || !strings.Contains(told[0], "audit.file") {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestAudit_GoesOnInAFileThatIsThere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	text, told := written(t, file, func() {},
		func() { must(os.Remove(file)) },
		func() { must(os.Rename(file, file+".1")) }, // as another daemon does
		func() {})
	if strings.Count(text, "\n") != 2 || len(told) != 0 {
		t.Errorf("the file has %q, told %q", text, told)
	}
	if moved, err := os.ReadFile(file + ".1"); err != nil || bytes.Count(moved, []byte("\n")) != 1 {
		t.Errorf("the other has %q, %v", moved, err)
	}
}

// TestAudit_ALineThatWasHalfWrittenSpoilsNoOther: a full disk takes what it has room for.
func TestAudit_ALineThatWasHalfWrittenSpoilsNoOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(file, []byte(`{"time":"20`), 0o600); err != nil {
		t.Fatal(err)
	}
	text, told := written(t, file, func() {}, func() {})
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] != `{"time":"20` || !json.Valid([]byte(lines[1])) || !json.Valid([]byte(lines[2])) || len(told) != 0 {
		t.Errorf("%q, told %q", lines, told)
	}
}

func TestAudit_CanBeTurnedOff(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a := &auditing{log: slog.New(slog.DiscardHandler), tell: func(string) {}}
	a.configure(nvimbridge.AuditOptions{File: file})
	ended := a.ended
	a.configure(nvimbridge.AuditOptions{})
	<-ended
	a.Audit(someRecord)
	a.close()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file, %v", err)
	}
}
