// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/turns"
	"claudecoded/test/wire"
)

// mute is an editor that is blocked: it never answers.
type mute struct{}

func (mute) Call(mcp.Call) {}
func (mute) Cancel(uint64) {}

// prompt is an editor that answers every call at once.
type prompt struct{ d *daemon }

func (p prompt) Call(c mcp.Call) {
	p.d.loop.Post(func() { p.d.protocol.Finish(c.Token, mcp.Outcome{Result: []byte(`"[]"`)}) })
}
func (prompt) Cancel(uint64) {}

// reviewed is a daemon that keeps what clients change in a folder.
type reviewed struct {
	*running
	dir string
}

func review(t *testing.T, editor func(d *daemon) mcp.Editor, o turns.Options) *reviewed {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &reviewed{runDaemon(t), dir}
	r.on(func(h host) {
		h.d.bind(editor(h.d), listener{r.told})
		schema := []byte(`{"type":"object"}`)
		h.Catalogue([]mcp.Tool{{Name: "closeAllDiffTabs", InputSchema: schema, IDE: true}, {Name: "getDiagnostics", InputSchema: schema, IDE: true}})
		h.Turns().Review(o)
	})
	r.start(nvimbridge.StartOptions{Token: token, WorkspaceFolders: []string{dir}})
	r.expect("ready")
	return r
}

// peer is a client that sends and reads as it is told.
type peer struct {
	*wire.Conn
	t *testing.T
	n int
}

func (r *reviewed) open() *peer { return &peer{wire.Open(r.t, r.d.port, token), r.t, 0} }

// asks sends a call and does not wait.
func (p *peer) asks(tool, arguments string) {
	p.t.Helper()
	p.n++
	p.Send(wire.Frame(wire.Text, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, p.n, tool, arguments)))
}

// calls sends a call and returns the answer.
func (p *peer) calls(tool, arguments string) string {
	p.t.Helper()
	p.asks(tool, arguments)
	_, answer := p.ReadFrame()
	if !strings.HasPrefix(string(answer), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, p.n)) {
		p.t.Fatalf("the answer to %d is %s", p.n, answer)
	}
	return string(answer)
}

// edits has the client write a file of a folder as the real one does.
func (p *peer) edits(path, content string) {
	p.t.Helper()
	p.calls("getDiagnostics", fmt.Sprintf(`{"uri":"file://%s"}`, path))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.calls("getDiagnostics", `{}`)
}

// detail is what a turn changed.
func (r *reviewed) detail(id int64) (d turns.Detail) {
	r.t.Helper()
	done := make(chan struct{})
	r.on(func(h host) {
		h.Turns().Turn(id, false, func(got turns.Detail, _ error) { d = got; close(done) })
	})
	select {
	case <-done:
	case <-time.After(patience):
		r.t.Fatal("no turn is told")
	}
	return d
}

func (r *reviewed) write(name, content string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

func TestTurns_AreKnownAlthoughTheEditorAnswersNothing(t *testing.T) {
	t.Parallel()
	r := review(t, func(*daemon) mcp.Editor { return mute{} }, turns.Options{})
	path := r.write("f", "a\n")
	p := r.open()
	p.asks("closeAllDiffTabs", `{}`) // whose answer the real client does not wait for
	p.asks("getDiagnostics", fmt.Sprintf(`{"uri":"file://%s"}`, path))
	if _, answer := p.ReadFrame(); !strings.Contains(string(answer), "no answer within 400ms") {
		t.Fatalf("%s", answer)
	}
	r.write("f", "b\n")
	p.asks("getDiagnostics", `{}`)
	if _, answer := p.ReadFrame(); !strings.Contains(string(answer), "no answer within 1.8s") {
		t.Fatalf("%s", answer)
	}
	d := r.detail(1)
	if len(d.Changes) != 1 || string(d.Changes[0].Before.Bytes()) != "a\n" || string(d.Changes[0].After.Bytes()) != "b\n" || !d.Open {
		t.Errorf("%+v", d)
	}
}

func TestTurns_OfSeveralClientsAreApart(t *testing.T) {
	t.Parallel()
	r := review(t, func(d *daemon) mcp.Editor { return prompt{d} }, turns.Options{})
	first, second := r.open(), r.open()
	for i, p := range []*peer{first, second} {
		p.calls("closeAllDiffTabs", `{}`)
		p.edits(r.write(fmt.Sprint("f", i), "a\n"), "b\n")
	}
	first.Leave()
	r.until("the first client's turn ends", func() bool { return !r.detail(1).Open })
	for i := range 2 {
		d := r.detail(int64(1 + i))
		if len(d.Changes) != 1 || filepath.Base(d.Changes[0].Path) != fmt.Sprint("f", i) {
			t.Errorf("client %d: %+v", i, d)
		}
	}
	if !r.detail(2).Open {
		t.Error("the second client's turn ended with the first's")
	}
}

func (r *reviewed) until(what string, cond func() bool) {
	r.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !cond(); {
		select {
		case <-tick.C:
		case <-late:
			r.t.Fatalf("never: %s", what)
		}
	}
}

// hanging has git hang for a test, and returns the file that it leaves when it was called.
func hanging(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	called := filepath.Join(bin, "called")
	script := "#!/bin/sh\n: > '" + called + "'\nsleep 1000\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return called
}

func TestTurns_HoldAnAnswerOnlySoLongForAGitThatHangs(t *testing.T) {
	hanging(t)
	r := review(t, func(d *daemon) mcp.Editor { return prompt{d} }, turns.Options{Git: true})
	p := r.open()
	p.calls("closeAllDiffTabs", `{}`)
	p.edits(r.write("f", "a\n"), "b\n") // which is answered
	if d := r.detail(1); len(d.Changes) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestTurns_LetAClientAndTheDaemonLeaveWhileAnAnswerIsHeld(t *testing.T) {
	called := hanging(t)
	r := review(t, func(d *daemon) mcp.Editor { return prompt{d} }, turns.Options{Git: true})
	path := r.write("f", "a\n")
	first, second := r.open(), r.open()
	for _, p := range []*peer{first, second} {
		p.calls("closeAllDiffTabs", `{}`)
		p.calls("getDiagnostics", fmt.Sprintf(`{"uri":"file://%s"}`, path))
	}
	r.until("git hangs", func() bool { _, err := os.Stat(called); return err == nil })
	r.write("f", "b\n")
	first.asks("getDiagnostics", `{}`)
	_ = first.TCP.Close()
	r.until("its turn ends", func() bool { return !r.detail(1).Open })
	if d := r.detail(1); len(d.Changes) != 1 {
		t.Errorf("%+v", d)
	}
	second.asks("getDiagnostics", `{}`)
	r.until("the call came", func() (came bool) {
		r.on(func(h host) {
			for _, c := range h.d.protocol.Clients() {
				came = came || c.ID == 2 && c.Calls == 1
			}
		})
		return came
	})
	r.on(func(h host) { h.Stop() })
	if _, answer := second.ReadFrame(); !strings.HasPrefix(string(answer), `{"jsonrpc":"2.0","id":3,`) {
		t.Errorf("at the end the client is told %q", answer)
	}
	select {
	case err := <-r.end:
		if err != nil {
			t.Error(err)
		}
		r.end <- err
	case <-time.After(patience):
		t.Fatal("the daemon does not end")
	}
}
