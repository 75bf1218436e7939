// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"claudecoded/reactor"
	"claudecoded/session"
)

// patience is how long anything may take on a busy machine.
const patience = time.Minute

// live is a server on real sockets. Its handler's events and log lines are sent on.
type live struct {
	t      testing.TB
	loop   reactor.Loop
	server *session.Server
	port   int
	ended  chan error

	mu        sync.Mutex
	told      []string
	lines     []string
	onMessage func(client uint64, text []byte)
}

func (l *live) Open(client uint64) { l.note(&l.told, fmt.Sprintf("open %d", client)) }

func (l *live) Message(client uint64, text []byte) {
	if l.onMessage != nil {
		l.onMessage(client, text)
	}
}

func (l *live) Closed(client uint64, code int, reason string) {
	l.note(&l.told, fmt.Sprintf("closed %d %d %s", client, code, reason))
}

func (l *live) note(list *[]string, s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = append(*list, s)
}

// Write takes the lines of the log.
func (l *live) Write(p []byte) (int, error) {
	l.note(&l.lines, string(p))
	return len(p), nil
}

func startLive(t testing.TB, interval time.Duration, onMessage func(*live, uint64, []byte)) *live {
	t.Helper()
	l := &live{t: t, ended: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(l, nil))
	var err error
	if l.loop, err = reactor.New(reactor.Options{Logger: log}); err != nil {
		t.Fatal(err)
	}
	l.server = session.New(l.loop, session.Config{PingInterval: interval, Log: log, MaxClients: 1000})
	if onMessage != nil {
		l.onMessage = func(client uint64, text []byte) { onMessage(l, client, text) }
	}
	if l.port, err = l.server.Listen(reactor.PortRange{}, l); err != nil {
		t.Fatal(err)
	}
	go func() { l.ended <- l.loop.Run() }()
	t.Cleanup(l.stop)
	return l
}

func (l *live) stop() {
	l.loop.Post(func() { l.server.Stop(l.loop.Stop) })
	select {
	case err := <-l.ended:
		if err != nil {
			l.t.Error(err)
		}
	case <-time.After(patience):
		l.t.Error("the loop did not end")
	}
}

// until waits for an event or line that contains each of parts.
func (l *live) until(list *[]string, parts ...string) {
	l.t.Helper()
	for deadline, pause := time.Now().Add(patience), time.Millisecond; time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		l.mu.Lock()
		for _, s := range *list {
			found := true
			for _, part := range parts {
				found = found && strings.Contains(s, part)
			}
			if found {
				l.mu.Unlock()
				return
			}
		}
		l.mu.Unlock()
		time.Sleep(pause) // between two looks
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t.Fatalf("waited for %q among %q", parts, *list)
}

// do runs f on the loop.
func (l *live) do(f func()) {
	l.t.Helper()
	ran := make(chan struct{})
	l.loop.Post(func() { f(); close(ran) })
	select {
	case <-ran:
	case <-time.After(patience):
		l.t.Fatal("the loop is stuck")
	}
}

// dial is a raw connection whose handshake is done.
func (l *live) dial() (net.Conn, *bufio.Reader) {
	l.t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", l.port))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(request()); err != nil {
		l.t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	for line := "-"; line != "\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			l.t.Fatal(err)
		}
	}
	return conn, r
}

// readFrame reads one server frame.
func readFrame(r io.Reader) (first byte, payload []byte, err error) {
	head := make([]byte, 2, 10)
	if _, err = io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	n := uint64(head[1])
	if n >= 126 {
		ext := head[2 : 2+2+6*(n-126)]
		if _, err = io.ReadFull(r, ext); err != nil {
			return 0, nil, err
		}
		n = 0
		for _, b := range ext {
			n = n<<8 | uint64(b)
		}
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

const short = 500 * time.Millisecond // a keepalive interval for tests in real time

func TestSockets_ClientThatAnswersStaysAndASilentOneIsDropped(t *testing.T) {
	t.Parallel()
	l := startLive(t, short, nil)
	answers, in := l.dial()
	_, mute := l.dial()
	go func() {
		for {
			first, payload, err := readFrame(in)
			if err != nil {
				return
			}
			if first == 0x89 {
				if _, err := answers.Write(frame(0x8A, string(payload))); err != nil {
					return
				}
			}
		}
	}()
	pings := 0
	for {
		first, payload, err := readFrame(mute)
		if err != nil {
			t.Fatal(err)
		}
		if first == 0x88 {
			if got := string(payload); got != "\x03\xF3Keepalive timeout" {
				t.Errorf("Close frame %q", got)
			}
			break
		}
		pings++
	}
	if pings < 2 {
		t.Errorf("dropped after %d pings", pings)
	}
	if _, err := mute.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after the Close frame: %v", err)
	}
	l.until(&l.told, "closed 2 1006 Connection timeout")
	l.until(&l.lines, "level=INFO", "Closed client_2: no reply for ")
	l.do(func() {
		if got := l.server.Clients(); len(got) != 1 || got[0].ID != "client_1" {
			t.Errorf("clients %v", got)
		}
	})
}

// pong answers pings that the client does not read.
func pong(conn net.Conn) {
	for {
		if _, err := conn.Write(frame(0x8A, "")); err != nil {
			return
		}
		time.Sleep(short / 2) // the client's pace is what is tested
	}
}

func TestSockets_ClientThatAnswersButDoesNotReadIsDropped(t *testing.T) {
	t.Parallel()
	l := startLive(t, short, nil)
	conn, _ := l.dial()
	l.until(&l.told, "open 1")
	l.do(func() { l.server.Give(1, make([]byte, 64<<20)) })
	go pong(conn)
	l.until(&l.told, "closed 1 1006 Write queue stalled")
	l.until(&l.lines, "level=INFO", "Closed client_1: not reading for ", " KB queued")
}

func TestSockets_SlowReaderOfOneHugeMessageStays(t *testing.T) {
	t.Parallel()
	const interval = 2 * short // a reader that is not run for two of them would look stalled
	l := startLive(t, interval, nil)
	conn, in := l.dial()
	l.until(&l.told, "open 1")
	const size = 24 << 20
	l.do(func() { l.server.Give(1, make([]byte, size)) })
	go pong(conn)
	start := time.Now()
	for read := 0; read < size; { // 2 MiB at a time, several in each window
		n, err := io.CopyN(io.Discard, in, 2<<20)
		if read += int(n); err != nil {
			t.Fatalf("dropped after %d bytes: %v", read, err)
		}
		time.Sleep(interval / 2) // the client's pace is what is tested
	}
	if took := time.Since(start); took < 5*interval {
		t.Errorf("took %v: too fast to mean anything", took)
	}
}

func TestSockets_CloseFrameBehindABacklogReachesAClientThatReads(t *testing.T) {
	t.Parallel()
	l := startLive(t, time.Minute, nil)
	conn, in := l.dial()
	l.until(&l.told, "open 1")
	l.do(func() { l.server.Give(1, make([]byte, 7<<20)) }) // not enough to pause reading
	if _, err := conn.Write(frame(0x83, "")); err != nil {
		t.Fatal(err)
	}
	l.until(&l.told, "closed 1 1006 Client error: Reserved opcode 0x3")
	for _, want := range []byte{0x81, 0x88} {
		if first, payload, err := readFrame(in); err != nil || first != want {
			t.Fatalf("frame %X of %d bytes, %v; want %X", first, len(payload), err, want)
		}
	}
}

func TestSockets_LargeMessagesAndManySmallOnesRoundTrip(t *testing.T) {
	t.Parallel()
	l := startLive(t, time.Minute, func(l *live, client uint64, text []byte) { l.server.Send(client, text) })
	conn, in := l.dial()
	var sizes []int
	for i := range 1000 {
		sizes = append(sizes, i%130)
	}
	sizes = append(sizes, 65535, 65536, 65537, 1<<20, 5<<20)
	go func() {
		var stream []byte
		for i, n := range sizes {
			stream = append(stream, text(strings.Repeat(string(rune('a'+i%26)), n))...)
		}
		_, _ = conn.Write(stream)
	}()
	for i, n := range sizes {
		first, payload, err := readFrame(in)
		if err != nil || first != 0x81 || !bytes.Equal(payload, bytes.Repeat([]byte{'a' + byte(i%26)}, n)) {
			t.Fatalf("message %d of %d bytes came back as %X with %d bytes, %v", i, n, first, len(payload), err)
		}
	}
}

// Half a handshake from many does not delay another client.
func TestSockets_HalfHandshakesDelayNobody(t *testing.T) {
	t.Parallel()
	l := startLive(t, time.Minute, nil)
	for range 256 {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", l.port))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET / HT")); err != nil {
			t.Fatal(err)
		}
	}
	l.dial()
}

// The fake's clock proves the 500 ms; the rest is for a machine that is busy.
func TestSockets_StopIsDoneWithin500msWhateverClientsDo(t *testing.T) {
	t.Parallel()
	l := startLive(t, time.Minute, nil)
	half, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", l.port))
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	_, in := l.dial()
	l.dial() // does not read
	l.until(&l.told, "open 3")
	l.do(func() { l.server.Give(3, make([]byte, 64<<20)) })
	done := make(chan time.Duration, 1)
	l.do(func() {
		start := time.Now()
		l.server.Stop(func() { done <- time.Since(start) })
	})
	first, payload, err := readFrame(in)
	if err != nil || first != 0x88 || binary.BigEndian.Uint16(payload) != 1001 {
		t.Errorf("frame %X %q, %v", first, payload, err)
	}
	select {
	case took := <-done:
		if took > 10*500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	case <-time.After(patience):
		t.Fatal("not done")
	}
	l.until(&l.told, "closed 2 1001 Server shutting down")
	l.until(&l.told, "closed 3 1001 Server shutting down")
}
