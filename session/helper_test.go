// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

const (
	token    = "0123456789abcdef"
	interval = 30 * time.Second
)

// world is a server on a fake loop, with a handler that writes down what happens.
type peer = fake.Peer

type world struct {
	t      *testing.T
	loop   *fake.Loop
	server *session.Server
	log    *bytes.Buffer
	events []string
	// onMessage, onOpen and onClosed, if set, are called after the event was written down.
	onMessage func(client uint64, text string)
	onOpen    func(client uint64)
	onClosed  func(client uint64)
	// onText, if set, is called with the text itself.
	onText func(text []byte)
}

func (w *world) Open(client uint64) {
	w.event("open %d", client)
	if w.onOpen != nil {
		w.onOpen(client)
	}
}

func (w *world) Message(client uint64, text []byte) {
	w.event("message %d %.40s", client, text)
	if w.onText != nil {
		w.onText(text)
	}
	if w.onMessage != nil {
		w.onMessage(client, string(text))
	}
}

func (w *world) Closed(client uint64, code int, reason string) {
	w.event("closed %d %d %s", client, code, reason)
	if w.onClosed != nil {
		w.onClosed(client)
	}
}

func (w *world) event(format string, args ...any) {
	w.events = append(w.events, fmt.Sprintf(format, args...))
}

// newWorld starts a server; change edits its Config.
func newWorld(t *testing.T, change ...func(*session.Config)) *world {
	t.Helper()
	w := &world{t: t, loop: fake.New(), log: new(bytes.Buffer)}
	w.server = session.New(w.loop, w.config(change...))
	w.listen(w)
	t.Cleanup(func() {
		if len(w.loop.Panics) > 0 {
			t.Errorf("panics: %v", w.loop.Panics)
		}
	})
	return w
}

// quiet is a log for tests that do not look at it.
var quiet = slog.New(slog.DiscardHandler)

func (w *world) config(change ...func(*session.Config)) session.Config {
	cfg := session.Config{Token: token, PingInterval: interval, Log: slog.New(slog.NewTextHandler(w.log,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))}
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}

func (w *world) listen(h session.Handler) {
	w.t.Helper()
	if _, err := w.server.Listen(reactor.PortRange{}, h); err != nil {
		w.t.Fatal(err)
	}
}

// want compares what the handler was told since the last want.
func (w *world) want(events ...string) {
	w.t.Helper()
	if got, want := strings.Join(w.events, "\n"), strings.Join(events, "\n"); got != want {
		w.t.Errorf("the handler was told:\n%s\nwant:\n%s", got, want)
	}
	w.events = nil
}

// lines are the log's lines of a level.
func (w *world) lines(level slog.Level) (lines []string) {
	for line := range strings.Lines(w.log.String()) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "level="+level.String()+" msg="); ok {
			lines = append(lines, strings.Trim(rest, `"`))
		}
	}
	return lines
}

func (w *world) wantLines(level slog.Level, want ...string) {
	w.t.Helper()
	if got := w.lines(level); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("%s lines: %q, want %q", level, got, want)
	}
}

// request is a handshake that is accepted; old is replaced by new in it, pairwise.
func request(oldnew ...string) []byte {
	return []byte(strings.NewReplacer(oldnew...).Replace("GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n" +
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n" +
		"X-Claude-Code-Ide-Authorization: " + token + "\r\n\r\n"))
}

// connect is a client whose handshake is done and read.
func (w *world) connect() *fake.Peer {
	w.t.Helper()
	p := w.loop.Connect()
	p.Send(request())
	w.loop.Settle()
	if got := p.Take(); !bytes.HasPrefix(got, []byte("HTTP/1.1 101 ")) {
		w.t.Fatalf("handshake answered %q", got)
	}
	return p
}

// connected is connect without the event of it.
func (w *world) connected() *fake.Peer {
	w.t.Helper()
	p := w.connect()
	w.events = nil
	return p
}

// frame is a masked frame as a client sends it.
func frame(first byte, payload string) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n <= 0xFFFF:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	mask := [4]byte{0x37, 0xFA, 0x21, 0x3D}
	b = append(b, mask[:]...)
	at := len(b)
	b = append(b, payload...)
	for i := range payload {
		b[at+i] ^= mask[i%4]
	}
	return b
}

func text(s string) []byte { return frame(0x81, s) }

func closeFrame(code int, reason string) []byte {
	return frame(0x88, string(binary.BigEndian.AppendUint16(nil, uint16(code)))+reason)
}

// frames reads server frames: each is its opcode's name, then the payload.
func frames(t *testing.T, b []byte) (got []string) {
	t.Helper()
	names := map[byte]string{0x81: "text", 0x82: "binary", 0x88: "close", 0x89: "ping", 0x8A: "pong"}
	for len(b) > 0 {
		if len(b) < 2 {
			t.Fatalf("cut frame % X", b)
		}
		name, n, at := names[b[0]], int(b[1]), 2
		if n == 126 && len(b) >= 4 {
			n, at = int(binary.BigEndian.Uint16(b[2:])), 4
		} else if n == 127 && len(b) >= 10 {
			n, at = int(binary.BigEndian.Uint64(b[2:])), 10
		}
		if name == "" || at+n > len(b) {
			t.Fatalf("bad or cut frame % X", b[:min(len(b), 20)])
		}
		payload := string(b[at : at+n])
		if name == "close" && n >= 2 {
			payload = fmt.Sprintf("%d %s", binary.BigEndian.Uint16(b[at:]), payload[2:])
		}
		got = append(got, strings.TrimSpace(name+" "+payload))
		b = b[at+n:]
	}
	return got
}

// wantFrames compares what the peer has read since the last time.
func wantFrames(t *testing.T, p *fake.Peer, want ...string) {
	t.Helper()
	if got := frames(t, p.Take()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("frames %.200q, want %q", got, want)
	}
}
