// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/neovim/go-client/msgpack/rpc"
	"github.com/neovim/go-client/nvim"
	"go.uber.org/goleak"

	"claudecoded/mcp"
	"claudecoded/nvimbridge/turns"
	"claudecoded/test/nvimtest"
)

// stuckChild names, for a copy of the test that is to be killed, the Neovim to start.
const stuckChild = "NVIMBRIDGE_TEST_STUCK"

func TestMain(m *testing.M) {
	if binary := os.Getenv(stuckChild); binary != "" {
		os.Exit(startStuck(binary))
	}
	goleak.VerifyTestMain(m)
}

// loop stands in for the reactor: one goroutine that runs posted functions.
type loop struct {
	mu      sync.Mutex
	queue   []func()
	stopped bool
	wake    chan struct{}
}

func newLoop(t testing.TB) *loop {
	l := &loop{wake: make(chan struct{}, 1)}
	var wg sync.WaitGroup
	wg.Go(l.run)
	t.Cleanup(func() {
		l.mu.Lock()
		l.stopped = true
		l.mu.Unlock()
		l.signal()
		wg.Wait()
	})
	return l
}

func (l *loop) post(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return false
	}
	l.queue = append(l.queue, f)
	l.signal()
	return true
}

func (l *loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *loop) run() {
	for range l.wake {
		for {
			l.mu.Lock()
			queue, stopped := l.queue, l.stopped
			l.queue = nil
			l.mu.Unlock()
			for _, f := range queue {
				f()
			}
			if stopped {
				return
			}
			if len(queue) == 0 {
				break
			}
		}
	}
}

// do runs f on the loop and waits for it.
func (l *loop) do(f func()) {
	done := make(chan struct{})
	l.post(func() {
		f()
		close(done)
	})
	<-done
}

// fakeHost notes, on the loop, what it is told.
type fakeHost struct {
	bridge   *Bridge
	loop     *loop
	log      *syncBuffer
	events   []string
	outcomes map[uint64]mcp.Outcome
	tools    []mcp.Tool
	start    *StartOptions
	state    string
	quiet    []time.Time // since when Neovim did not respond, each time
	gone     []error
	status   Status
	policy   *mcp.Policy
	activity Activity
	turns    *turns.Keeper
}

func (h *fakeHost) note(format string, args ...any) {
	h.events = append(h.events, fmt.Sprintf(format, args...))
}

func (h *fakeHost) Catalogue(tools []mcp.Tool) { h.tools = tools }
func (h *fakeHost) Start(o StartOptions)       { h.start = &o }
func (h *fakeHost) Stop()                      { h.note("stop") }
func (h *fakeHost) Broadcast(id int64, method string, params []byte) {
	h.note("broadcast %d %s %s", id, method, params)
	h.bridge.Written(id, 2)
}
func (h *fakeHost) Send(client uint64, method string, params []byte) {
	h.note("send %d %s %s", client, method, params)
}
func (h *fakeHost) Respond(client uint64, id []byte, o mcp.Outcome) {
	h.note("respond %d %s %s", client, id, asText(o))
}
func (h *fakeHost) Finish(token uint64, o mcp.Outcome) {
	if _, twice := h.outcomes[token]; twice {
		h.note("call %d finished twice", token)
	}
	h.outcomes[token] = o
}
func (h *fakeHost) Progress(token uint64, progress, total float64, message string) {
	h.note("progress %d %g/%g %s", token, progress, total, message)
}
func (h *fakeHost) Waiting(token uint64, reason string) { h.note("waiting %d %q", token, reason) }
func (h *fakeHost) EditorState(state string, since time.Time) {
	if h.state = state; state == notResponding {
		h.quiet = append(h.quiet, since)
	}
}
func (h *fakeHost) WorkspaceFolders(folders []string) { h.note("folders %q", folders) }
func (h *fakeHost) Status() Status                    { return h.status }
func (h *fakeHost) Policy(p *mcp.Policy, audit AuditOptions) {
	h.policy = p
	h.note("policy, audit %+v", audit)
}
func (h *fakeHost) Answer(token uint64, answer mcp.Answer) { h.note("answer %d %s", token, answer) }
func (h *fakeHost) Lock(on bool)                           { h.note("lock %v", on) }
func (h *fakeHost) Revoke()                                { h.note("revoke") }
func (h *fakeHost) Resolved(token uint64, paths []string, problem string) {
	h.note("resolved %d %q %s", token, paths, problem)
}
func (h *fakeHost) Activity() Activity { return h.activity }
func (h *fakeHost) Turns() *turns.Keeper {
	return h.turns
}
func (h *fakeHost) Gone(err error) { h.gone = append(h.gone, err) }

// on runs f on the loop and returns what it returns.
func on[T any](h *fakeHost, f func() T) (v T) {
	h.loop.do(func() { v = f() })
	return v
}

// eventually waits until cond holds on the loop.
func (h *fakeHost) eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	nvimtest.Eventually(t, what, func() bool { return on(h, cond) })
}

func (h *fakeHost) call(c mcp.Call) { h.loop.do(func() { h.bridge.Call(c) }) }

// finished waits for the end of a call and returns it as text.
func (h *fakeHost) finished(t testing.TB, token uint64) string {
	t.Helper()
	h.eventually(t, fmt.Sprintf("call %d is finished", token), func() bool {
		_, ok := h.outcomes[token]
		return ok
	})
	return on(h, func() string {
		return asText(h.outcomes[token])
	})
}

func asText(o mcp.Outcome) string {
	if o.Err != nil {
		return fmt.Sprintf("error %d %s %s", o.Err.Code, o.Err.Message, o.Err.Data)
	}
	return string(o.Result)
}

func (h *fakeHost) isFinished(token uint64) bool {
	return on(h, func() bool {
		_, ok := h.outcomes[token]
		return ok
	})
}

func (h *fakeHost) saw(event string) func() bool {
	return func() bool {
		for _, e := range h.events {
			if e == event {
				return true
			}
		}
		return false
	}
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newHost(t testing.TB) (*fakeHost, Config) {
	h := &fakeHost{loop: newLoop(t), log: &syncBuffer{}, outcomes: map[uint64]mcp.Outcome{},
		status: Status{Running: true, Port: 4711}}
	h.turns = turns.New(turns.Config{Post: h.loop.post, Changed: func(n turns.News) { h.bridge.TurnsChanged(n) }})
	t.Cleanup(func() {
		if err := h.turns.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, Config{
		Post:    h.loop.post,
		Log:     slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Version: "1.2.3",
	}
}

func (h *fakeHost) serve(t testing.TB, b *Bridge) *fakeHost {
	h.bridge = b
	b.Serve(h)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// script is the plugin's side of the channel in tests with a real Neovim.
const script = `
local pending, heard, channel = {}, {}, nil
local M = { heard = heard }
local tools = {}
function tools.echo(args) return { done = true, result = args } end
function tools.raise() error("boom") end
function tools.fail(args) return { done = true, error = args.error } end
function tools.lua(args, token) return load(args.code)(token) end
function tools.later(_, token) table.insert(pending, token) return { pending = true, task_id = "t" .. token } end
function M.tell(method, ...) vim.rpcnotify(channel, method, ...) end
function M.ask(method, ...) return vim.rpcrequest(channel, method, ...) end
function M.use(c) channel = c end
function M.handle(name, ...)
  if name == "attached" then
    local hello = ...
    channel = hello.channel
    return {
      policy = { rules = {} },
      review = { git = false, secret = { "*.key" } },
      tools = { { name = "echo", description = "d", input_schema = '{"type":"object"}', ide = true, timeout_ms = 0 } },
      start = { protocol = hello.protocol, pid = vim.fn.getpid(), workspace_folders = { vim.fn.getcwd() }, ide_name = "Neovim" },
    }
  elseif name == "call" then
    local token, tool, text, call = ...
    table.insert(heard, { name, tool, call })
    return tools[tool](vim.json.decode(text), token)
  end
  if name == "log" and ({ ... })[2] == "raise" then error("a secret") end
  table.insert(heard, { name, ... })
end
package.loaded["claudecode.rpc"] = M
`

// neovim attaches a bridge to a real Neovim that runs script, whose other channel
// is v.
func neovim(t *testing.T, o nvimtest.Options) (h *fakeHost, v *nvim.Nvim) {
	t.Helper()
	v = nvimtest.Start(t, o)
	if err := v.ExecLua(script, nil); err != nil {
		t.Fatal(err)
	}
	var addr string
	if err := v.Eval("v:servername", &addr); err != nil {
		t.Fatal(err)
	}
	h, cfg := newHost(t)
	b, err := Attach(context.Background(), cfg, addr)
	if err != nil {
		t.Fatal(err)
	}
	h.serve(t, b)
	ctx, cancel := context.WithTimeout(context.Background(), nvimtest.Patience)
	defer cancel()
	if err := b.Attached(ctx, nvimtest.Root(t)); err != nil {
		t.Fatal(err)
	}
	return h, v
}

func lua(t testing.TB, v *nvim.Nvim, code string, args ...any) {
	t.Helper()
	if err := v.ExecLua(code, nil, args...); err != nil {
		t.Fatal(err)
	}
}

// editor is a Neovim made of Go, for what must happen in a certain order. It
// notes pushes, and answers calls when it is told to.
type editor struct {
	ep    *rpc.Endpoint
	probe chan struct{} // each answer to nvim_get_mode takes one
	calls chan string   // tool names, as they arrive
	push  chan []any
	reply chan map[string]any
}

// scripted connects a bridge to an editor.
func scripted(t *testing.T) (*fakeHost, *editor) {
	t.Helper()
	ours, theirs := net.Pipe()
	h, cfg := newHost(t)
	h.serve(t, newBridge(cfg, ours, ours, nil))
	e := newEditor(t, theirs)
	return h, e
}

func newEditor(t *testing.T, conn net.Conn) *editor {
	e := &editor{probe: make(chan struct{}, 1), calls: make(chan string, 4*maxCalls), push: make(chan []any, 4*maxPushes), reply: make(chan map[string]any)}
	e.ep, _ = rpc.NewEndpoint(conn, conn, conn, rpc.WithLogf(func(string, ...any) {}))
	quit := make(chan struct{})
	_ = e.ep.Register("nvim_exec_lua", func(_ string, args []any) (map[string]any, error) {
		if args[0] != "call" && args[0] != "paths" {
			e.push <- args
			return nil, nil
		}
		e.calls <- args[2].(string)
		select {
		case r := <-e.reply:
			return r, nil
		case <-quit:
			return nil, nil
		}
	})
	_ = e.ep.Register("nvim_get_mode", func() (map[string]any, error) {
		select {
		case <-e.probe:
		case <-quit:
		}
		return map[string]any{"mode": "n", "blocking": false}, nil
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = e.ep.Serve() })
	t.Cleanup(func() {
		close(quit)
		_ = e.ep.Close()
		wg.Wait()
	})
	return e
}
