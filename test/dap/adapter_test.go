// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"

	"claudecoded/test/nvimtest"
)

// request is one that the editor made.
type request struct {
	Seq       int
	Command   string
	Arguments json.RawMessage
}

// object is JSON that an adapter sends.
type object = map[string]any

// adapter is one side of a debug session. What it does with a request is in handle, by
// command; with what is not there it does what a program would that is at one line.
type adapter struct {
	t    testing.TB
	conn net.Conn

	mu     sync.Mutex
	seq    int
	asked  []request
	handle map[string]func(request)
	file   string
	line   int
	caps   object
}

// adapters are those that editors of a test start.
type adapters struct {
	t      testing.TB
	listen net.Listener
	came   chan *adapter

	mu      sync.Mutex
	prepare func(*adapter)
}

// prepared has f run with each adapter that comes, before it serves anything.
func (all *adapters) prepared(f func(*adapter)) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.prepare = f
}

func listen(t testing.TB) *adapters {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	all := &adapters{t: t, listen: l, came: make(chan *adapter, 16), prepare: func(*adapter) {}}
	var served sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	served.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			a := &adapter{t: t, conn: conn, handle: map[string]func(request){}, line: 1, caps: object{
				"supportsConfigurationDoneRequest": true,
			}}
			all.mu.Lock()
			prepare := all.prepare
			all.mu.Unlock()
			prepare(a)
			all.came <- a
			served.Go(a.serve)
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		served.Wait()
	})
	return all
}

func (all *adapters) next() *adapter {
	all.t.Helper()
	var a *adapter
	nvimtest.Eventually(all.t, "an adapter is started", func() bool {
		select {
		case a = <-all.came:
		default:
		}
		return a != nil
	})
	return a
}

func (a *adapter) serve() {
	in := bufio.NewReader(a.conn)
	defer func() { _ = a.conn.Close() }()
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			a.t.Error(err)
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(body, &r); err != nil {
			a.t.Error(err)
			return
		}
		a.mu.Lock()
		a.asked = append(a.asked, r)
		f, ok := a.handle[r.Command]
		a.mu.Unlock()
		if !ok {
			f = a.answer
		}
		f(r)
	}
}

// can adds to what it says it can do.
func (a *adapter) can(capabilities ...string) {
	for _, name := range capabilities {
		a.caps[name] = true
	}
}

// on has requests of a command handled by f.
func (a *adapter) on(command string, f func(request)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handle[command] = f
}

func (a *adapter) send(message object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	message["seq"] = a.seq
	text, err := json.Marshal(message)
	if err != nil {
		a.t.Error(err)
	}
	_, _ = fmt.Fprintf(a.conn, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

func (a *adapter) event(name string, body object) {
	a.send(object{"type": "event", "event": name, "body": body})
}

func (a *adapter) respond(r request, body any) {
	a.send(object{"type": "response", "request_seq": r.Seq, "command": r.Command, "success": true, "body": body})
}

func (a *adapter) refuse(r request, message string) {
	a.send(object{"type": "response", "request_seq": r.Seq, "command": r.Command, "success": false, "message": message})
}

// ignore never answers.
func (a *adapter) ignore(request) {}

// later keeps the last request, to be answered when the test says so.
func (a *adapter) later(command string) (take func() request) {
	kept := make(chan request, 16)
	a.on(command, func(r request) { kept <- r })
	return func() request {
		var got *request
		nvimtest.Eventually(a.t, command+" is asked for", func() bool {
			select {
			case r := <-kept:
				got = &r
			default:
			}
			return got != nil
		})
		return *got
	}
}

// at moves the program to a line.
func (a *adapter) at(line int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.line = line
}

// in moves the program to a file.
func (a *adapter) in(file string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.file = file
}

// stop has the program stop at a line.
func (a *adapter) stop(line int, reason string) {
	a.at(line)
	a.event("stopped", object{"reason": reason, "threadId": 1, "allThreadsStopped": true})
}

// answer is what an adapter does that works.
func (a *adapter) answer(r request) {
	a.mu.Lock()
	file, line, caps := a.file, a.line, a.caps
	a.mu.Unlock()
	frame := func(id, line int, name string) object {
		return object{"id": id, "name": name, "line": line, "column": 1, "source": object{"path": file}}
	}
	switch r.Command {
	case "initialize":
		a.respond(r, caps)
	case "launch", "attach":
		a.respond(r, nil)
		a.event("initialized", nil)
	case "setBreakpoints":
		var asked struct{ Breakpoints []struct{ Line int } }
		_ = json.Unmarshal(r.Arguments, &asked)
		list := []object{}
		for i, bp := range asked.Breakpoints {
			list = append(list, object{"id": i + 1, "verified": true, "line": bp.Line})
		}
		a.respond(r, object{"breakpoints": list})
	case "threads":
		a.respond(r, object{"threads": []object{{"id": 1, "name": "main"}, {"id": 2, "name": "other"}}})
	case "stackTrace":
		a.respond(r, object{"totalFrames": 2, "stackFrames": []object{frame(line*10, line, "inner"), frame(line*10+1, 1, "outer")}})
	case "scopes":
		a.respond(r, object{"scopes": []object{{"name": "Locals", "variablesReference": 7, "expensive": false}}})
	case "variables":
		a.respond(r, object{"variables": []object{{"name": "x", "value": "1", "type": "int", "variablesReference": 0}}})
	case "evaluate":
		var asked struct {
			Expression string
			FrameID    int
			Context    string
		}
		_ = json.Unmarshal(r.Arguments, &asked)
		text := fmt.Sprintf("%s in %d for %s", asked.Expression, asked.FrameID, asked.Context)
		a.respond(r, object{"result": text, "type": "text", "variablesReference": 3})
	case "setVariable", "setExpression":
		a.respond(r, object{"value": r.Command})
	case "terminate":
		a.respond(r, nil)
		a.event("terminated", nil)
	case "disconnect":
		a.respond(r, nil)
	default:
		a.respond(r, object{})
	}
}

// requests are those of a command so far.
func (a *adapter) requests(command string) (found []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.asked {
		if r.Command == command {
			found = append(found, string(r.Arguments))
		}
	}
	return found
}

// saw waits until a request of a command has all parts in its arguments.
func (a *adapter) saw(command string, parts ...string) {
	a.t.Helper()
	nvimtest.Eventually(a.t, fmt.Sprintf("%s with %q is asked for", command, parts), func() bool {
	next:
		for _, arguments := range a.requests(command) {
			for _, part := range parts {
				if !strings.Contains(arguments, part) {
					continue next
				}
			}
			return true
		}
		return false
	})
}

// before tells whether a request with a part in its arguments came before one of a command.
func (a *adapter) before(part, command string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.asked {
		if strings.Contains(string(r.Arguments), part) {
			return true
		} else if r.Command == command {
			return false
		}
	}
	return false
}

// die ends the adapter as a crash would.
func (a *adapter) die() { _ = a.conn.Close() }
