// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/neovim/go-client/msgpack/rpc"

	"claudecoded/test/nvimtest"
)

func TestGone_EndsEveryCallAndComesOnce(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	h.call(named(5, "waiting"))
	_ = e.ep.Close()
	h.eventually(t, "Neovim is gone", func() bool { return len(h.gone) > 0 })
	h.call(named(6, "afterwards"))
	h.loop.do(func() { h.bridge.Ready(Listening{Port: 1}); h.bridge.Cancel(1) })
	for token := range uint64(6) {
		if got := h.finished(t, token+1); got != `error -32000 Neovim is gone "Neovim is gone"` {
			t.Errorf("call %d: %s", token+1, got)
		}
	}
	if gone := on(h, func() []error { return h.gone }); len(gone) != 1 || gone[0] != io.EOF {
		t.Errorf("gone %v", gone)
	}
	if _, err := h.bridge.ask(context.Background(), "nvim_get_mode"); err == nil {
		t.Error("asked a Neovim that is gone")
	}
}

// The library runs notifications beside the reading, and tells of the end at once.
func TestGone_ComesAfterWhatNeovimSaidLast(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	h.call(named(1, "late"))
	e.next(t, "late")
	e.answer(t, object{"pending": true})
	for id := range 500 {
		tell(t, e, "broadcast", object{"id": id, "method": "m", "params": "{}"})
	}
	tell(t, e, "tool_done", object{"token": 1, "result": "last words"})
	_ = e.ep.Close()
	if got := h.finished(t, 1); got != `"last words"` {
		t.Error(got)
	}
	h.eventually(t, "Neovim is gone", func() bool { return len(h.gone) == 1 })
}

// deaf is a stdin whose end never comes, as when a grandchild holds the pipe.
type deaf struct{ quit chan struct{} }

func (d deaf) Read([]byte) (int, error) { <-d.quit; return 0, io.EOF }
func (d deaf) Close() error             { close(d.quit); return nil }

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestGone_IsSeenWhenOnlyWritingFails(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(b *Bridge){
		"push": func(b *Bridge) { b.Log("info", "x") },
		"call": func(b *Bridge) { b.Call(named(1, "x")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, cfg := newHost(t)
			r := deaf{make(chan struct{})}
			h.serve(t, Embed(cfg, struct{ io.Reader }{r}, broken{})) // nothing that Close could reach
			t.Cleanup(func() { _ = r.Close() })
			h.loop.do(func() { act(h.bridge) })
			h.eventually(t, "Neovim is gone", func() bool { return len(h.gone) == 1 })
		})
	}
}

func TestClose_IsSilentAndSafeToRepeat(t *testing.T) {
	t.Parallel()
	h, _ := unread(t) // Q is stuck in a write
	for range 2 {
		if err := h.bridge.Close(); err != nil {
			t.Error(err)
		}
	}
	if gone := on(h, func() []error { return h.gone }); len(gone) != 0 {
		t.Errorf("gone %v", gone)
	}
	if _, err := h.bridge.ask(context.Background(), "nvim_get_mode"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestNotification_OfTheWrongTypeIsIgnoredAndLoggedWithoutContent(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(notifications)), slices.Collect(maps.Keys(exactly))) {
		switch name {
		case "stop", "revoke": // which take no argument
			continue
		case "review": // of which what cannot be read keeps nothing, see TestReview_ThatCannotBeReadKeepsNothing
			continue
		case "policy": // of which what cannot be read denies, see TestPolicy_IsReadAndWhatCannotBeReadDenies
			continue
		}
		for _, args := range [][]any{{}, {nil}, {1}, {"secret"}, {array{"secret"}}, {object{}}, {object{"secret": 1}},
			{object{"token": "secret", "id": "secret", "client": array{}, "folders": "secret", "tools": "secret", "protocol": "secret"}},
			{object{"token": math.NaN(), "id": 1.5, "client": -1}}, {handle8{}}, {map[int]int{1: 2}}, {object{}, "more"}} {
			tell(t, e, name, args...)
		}
	}
	tell(t, e, "no_such_message", array{"secret"})
	tell(t, e, "send", object{"client": 3, "method": "m", "params": `{"x":NaN}`})
	tell(t, e, "broadcast", object{"id": 8, "method": "m", "params": "secret"})
	tell(t, e, "send", object{"client": 3, "method": "m"})
	h.eventually(t, "the good message came", h.saw("send 3 m {}"))
	if events := on(h, func() []string { return h.events }); len(events) != 1 {
		t.Errorf("%q", events)
	}
	if log := h.log.String(); strings.Contains(log, "secret") || !strings.Contains(log, "level=WARN") {
		t.Error(log)
	}
	if on(h, func() bool { return h.start != nil || len(h.gone) > 0 }) {
		t.Error("a wrong message was taken, or ended the channel")
	}
}

func TestBroadcast_WithBadParamsIsAnsweredWithZero(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	tell(t, e, "broadcast", object{"id": 8, "method": "m", "params": `{"x":nan}`})
	e.pushed(t, "written 8 0")
	tell(t, e, "broadcast", object{"id": 9, "method": "m", "params": "{\"x\":\"\xff\"}"})
	e.pushed(t, "written 9 2")
	h.eventually(t, "the repaired text came", h.saw(`broadcast 9 m {"x":"�"}`))
}

func TestRespond_AnswersAClientWithWhatNeovimGave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		message object
		want    string
	}{
		{object{"client": 3, "id": 7, "result": object{"a": array{}}}, `respond 3 7 {"a":[]}`},
		{object{"client": 3, "id": "x\xff", "result": "\xff"}, "respond 3 \"x\ufffd\" \"\ufffd\""},
		{object{"client": 3, "id": nil, "result": nil}, `respond 3 null null`},
		{object{"client": 3}, `respond 3 null null`},
		{object{"client": 3, "id": array{}, "error": "bad"}, `respond 3 [] error -32000 bad "bad"`},
		{object{"client": 3, "id": 1, "result": 2, "error": object{"code": -5, "message": "m", "data": 1}}, `respond 3 1 error -5 m 1`},
		{object{"client": 3, "id": 1, "result": math.NaN()},
			`respond 3 1 error -32000 result has no JSON form: NaN "result has no JSON form: NaN"`},
	} {
		h, e := scripted(t)
		tell(t, e, "respond", object{"client": 3, "id": math.NaN(), "result": 1})
		tell(t, e, "respond", c.message)
		h.eventually(t, c.want, func() bool { return len(h.events) > 0 })
		if events := on(h, func() []string { return h.events }); len(events) != 1 || events[0] != c.want {
			t.Errorf("%q, want %q", events, c.want)
		}
	}
}

func TestStart_OfAnotherProtocolFailsWithTheFix(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	tell(t, e, "start", object{"protocol": Protocol + 1})
	e.pushed(t, fmt.Sprintf("failed map[message:claudecoded 1.2.3 speaks protocol %d and the plugin protocol %d: build the daemon again (make build in the plugin's folder) or update the plugin protocol:%d]",
		Protocol, Protocol+1, Protocol))
	tell(t, e, "start", object{"protocol": Protocol, "port_min": "x"})
	e.pushed(t, fmt.Sprintf("failed map[message:the plugin sent a wrong start message: port_min has the wrong type protocol:%d]", Protocol))
	if on(h, func() bool { return h.start != nil }) {
		t.Error("the daemon was started")
	}
	tell(t, e, "start", object{"protocol": Protocol, "port_min": 1, "port_max": 2})
	h.eventually(t, "the daemon is started", func() bool { return h.start != nil && h.start.PortMax == 2 })
	h.loop.do(func() { h.bridge.Ready(Listening{Port: 2, Token: "tok", LockFile: "/l"}) })
	e.pushed(t, fmt.Sprintf("ready map[lock_file:/l pid:%d port:2 protocol:%d token:tok version:1.2.3]", os.Getpid(), Protocol))
}

func TestStatus_IsAnsweredFromTheLoop(t *testing.T) {
	t.Parallel()
	_, e := scripted(t)
	var s map[string]any
	if err := e.ep.Call("status", &s); err != nil {
		t.Fatal(err)
	}
	want := object{"running": true, "port": int64(4711), "client_count": int64(0), "clients": array{}, "version": "1.2.3",
		"protocol": int64(Protocol), "pid": int64(os.Getpid()), "lock_file": "",
		"uptime_ms": int64(0), "called": object{}, "left_out": object{}, "guests": array{}, "connections": array{}}
	for k, v := range s {
		if u, ok := v.(uint64); ok {
			s[k] = int64(u)
		}
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

// A report is what status answers, pushed: whoever asks does not wait.
func TestReport_IsPushedWithoutATokenOrNil(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	tell(t, e, "report", object{}) // without an id nobody could tell whose it is
	tell(t, e, "report", object{"id": 7})
	e.pushed(t, fmt.Sprintf("report 7 map[called:map[] client_count:0 clients:[] connections:[] guests:[] left_out:map[] lock_file: pid:%d port:4711 protocol:%d"+
		" running:true uptime_ms:0 version:1.2.3]", os.Getpid(), Protocol))
	on(h, func() bool {
		h.status = Status{
			Clients: []ClientStatus{{ID: 3}}, LastUpgrade: &UpgradeStatus{Client: 3, Reason: "no"},
			Guests: []GuestStatus{{ID: "mcp_1"}}, Connections: []ConnectionStatus{{ID: 4, Busy: true}},
		}
		return true
	})
	tell(t, e, "report", object{"id": 8})
	e.pushed(t, fmt.Sprintf("report 8 map[called:map[] client_count:0 clients:[map[calls:[] connected_ms:0 id:3 name: pid:0"+
		" pong_ms:0 state: unsent:0 version:]] connections:[map[age_ms:0 busy:true id:4]]"+
		" guests:[map[age_ms:0 calls:[] heard_ms:0 id:mcp_1 name: revision:]] last_upgrade:map[accepted:false ago_ms:0 client:3 reason:no] left_out:map[] lock_file: pid:%d"+
		" port:0 protocol:%d running:false uptime_ms:0 version:1.2.3]", os.Getpid(), Protocol))
}

func TestStatus_OfALoopThatHangsIsAnError(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	release := make(chan struct{})
	h.loop.post(func() { <-release })
	err := e.ep.Call("status", nil)
	close(release)
	var remote rpc.Error
	if !errors.As(err, &remote) || remote.Error() != errLoopBusy.Error() {
		t.Error(err)
	}
}

func TestGate_LeavesAFloodToTheSenderWhileTheLoopIsBehind(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	release := make(chan struct{})
	open := sync.OnceFunc(func() { close(release) })
	t.Cleanup(open)
	h.loop.post(func() { <-release })
	const size = 1 << 20
	flood := object{"padding": strings.Repeat("x", size)}
	var sent int
	var mu sync.Mutex
	var wg sync.WaitGroup
	// The library reads on until what it has read is counted, on another goroutine.
	const ahead = 32
	const messages = maxInbound/size + 2*ahead
	wg.Go(func() {
		for range messages {
			if e.ep.Notify("stop", flood) != nil {
				return
			}
			mu.Lock()
			sent++
			mu.Unlock()
		}
	})
	nvimtest.Eventually(t, "the gate is shut", func() bool { return h.bridge.gate.backlog.Load() > maxInbound })
	if held := h.bridge.gate.backlog.Load(); held > maxInbound+ahead*size {
		t.Errorf("%d bytes wait for the loop", held)
	}
	mu.Lock()
	if sent == messages {
		t.Error("everything was read")
	}
	mu.Unlock()
	open()
	wg.Wait()
	h.eventually(t, "every message ran", func() bool { return len(h.events) == messages })
	if left := h.bridge.gate.backlog.Load(); left != 0 {
		t.Errorf("%d bytes are still counted", left)
	}
}

func TestAttach_SaysWhatIsWrongWithAnAddress(t *testing.T) {
	t.Parallel()
	_, cfg := newHost(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	conn, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// One end of a connection has this port, so nobody else does, and nothing listens on it.
	closed := conn.LocalAddr().String()
	for _, addr := range []string{"", nvimtest.Dir(t) + "/a:b", closed, "no-such-socket"} {
		b, err := Attach(context.Background(), cfg, addr)
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), "no neovim answers at "+addr) {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

func TestAttach_TakesASocketWithAColonInItsPath(t *testing.T) {
	t.Parallel()
	h, cfg := newHost(t)
	addr := nvimtest.Dir(t) + "/localhost:80"
	l, err := net.Listen("unix", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b, err := Attach(context.Background(), cfg, addr)
	if err != nil {
		t.Fatal(err)
	}
	h.serve(t, b)
}

func TestAsk_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	h, _ := unread(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := h.bridge.Attached(ctx, "/x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
