// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// A client that writes once and then waits for all answers gets them.
func TestRequests_AThousandInOneWriteAreAllAnswered(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	var send, want []byte
	for id := range 1000 {
		send = append(send, say(request(id, "ping", ""))...)
		want = append(want, reply(id, "{}")...)
	}
	c.Send(send)
	c.Expect(want)
	answers(c)
}

// A Close in the same read cancels the requests before it; one in a later read does not.
func TestRequests_BeforeACloseInTheSameReadDoNotRun(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	bye := wire.Frame(wire.Close, wire.CloseBody(1000, ""))
	c := d.Open(t)
	c.Send(say(call(1, "openDiff", "{}")), say(request(2, "ping", "")), bye)
	c.Expect(wire.Plain(wire.Close, wire.CloseBody(1000, "")))
	c.ExpectEnd()
	d.Do(t, func() {
		if n := d.Editor.Open() + d.Editor.Cancelled; n > 0 {
			t.Errorf("%d calls reached the editor", n)
		}
	})
	departed(t, d, 1, 1000, "")

	c = d.Open(t)
	c.Send(say(call(1, "openDiff", "{}")), say(request(2, "ping", "")))
	c.Expect(reply(2, "{}"))
	c.Send(bye)
	c.Expect(wire.Plain(wire.Close, wire.CloseBody(1000, "")))
	c.ExpectEnd()
	d.Do(t, func() {
		if open, cancelled := d.Editor.Open(), d.Editor.Cancelled; open != 0 || cancelled != 1 {
			t.Errorf("%d calls are open, %d were cancelled", open, cancelled)
		}
	})
}

func TestRequests_BinaryMessageIsRefused(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	c.Send(wire.Frame(wire.Binary, request(1, "ping", "")))
	c.Expect(wire.Failure(1003))
	c.ExpectEnd()
	departed(t, d, 1, 1006, "Client error: Binary message")
}

// The reason in the log is the rule; that on the wire is the code's name.
func TestRequests_BrokenFramesNameTheirRule(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	client := uint64(0)
	for _, c := range []struct {
		send []byte
		code int
		rule string
	}{
		{[]byte("\x83\x80\x00\x00\x00\x00"), 1002, "Reserved opcode 0x3"},
		{[]byte("\xC1\x80\x00\x00\x00\x00"), 1002, "RSV bits set"},
		{wire.Frame(wire.Ping, rig.Repeated(126)), 1002, "Control frame payload over 125 bytes"},
		{[]byte("\x08\x80\x00\x00\x00\x00"), 1002, "Fragmented control frame"},
		{[]byte("\x88\x81\x00\x00\x00\x00\x03"), 1002, "Close payload of 1 byte"},
		{[]byte("\x81\x82\x00\x00\x00\x00\xC3\x28"), 1007, "Text message is not valid UTF-8"},
		{wire.Frame(wire.Close, wire.CloseBody(1000, "\xFF")), 1007, "Close reason is not valid UTF-8"},
		{wire.Frame(wire.LastPart, ""), 1002, "Continuation frame without a message to continue"},
		{wire.Joined(wire.Frame(wire.TextPart, ""), say("{}")), 1002, "Data frame inside a fragmented message"},
		{wire.Header(wire.Text, 100<<20+1, 8), 1009, "Message over 104857600 bytes"},
	} {
		client++
		conn := d.Open(t)
		conn.Send(c.send)
		conn.Expect(wire.Failure(c.code))
		conn.ExpectEnd()
		departed(t, d, client, 1006, "Client error: "+c.rule)
	}
	if lines := append(d.Lines("level=WARN"), d.Lines("level=ERROR")...); len(lines) > 0 {
		t.Errorf("the log says %q", lines)
	}
}

// The synthetic Claude Code meets a file whose name needs every kind of care.
func TestRequests_NamesOfFilesArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := rig.Start(t, rig.Config{Folder: folder})
	client, err := claude.Dial(t.Context(), d.Port, rig.Token, claude.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, _, err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"🤭.md", "$post.tsx", "[id].tsx", "{a,b}.md", "~weird", "a b%20c.txt", `quote"back\slash.txt`, "ü\u2028\u0001.txt"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := client.Call(t.Context(), "openFile", map[string]string{"filePath": path})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if text, err := result.Text(); err != nil || text != "Opened file: "+path {
			t.Errorf("%q: %q, %v", name, text, err)
		}
		for _, uri := range []string{"file://" + path, "file://" + (&url.URL{Path: path}).EscapedPath()} {
			if _, err := client.Call(t.Context(), "getDiagnostics", map[string]string{"uri": uri}); err != nil {
				t.Errorf("%q: %v", uri, err)
			}
		}
	}
}

// What users see of a call that nobody answers: that it ended, once, with the link.
func TestRequests_CallsInFlightEndWithTheirClient(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	for i, leave := range []func(c *wire.Conn){
		func(c *wire.Conn) { _ = c.TCP.Close() },
		func(c *wire.Conn) { _ = c.TCP.SetLinger(0); _ = c.TCP.Close() },
		func(c *wire.Conn) { _ = c.TCP.CloseWrite() },
		func(c *wire.Conn) { c.Send(wire.Frame(0x83, "")) },
	} {
		c := d.Open(t)
		for id := range 256 {
			c.Send(say(call(id, "openDiff", "{}")))
		}
		c.Send(say(call(256, "openDiff", "{}")))
		c.Expect(wire.Plain(wire.Text, `{"jsonrpc":"2.0","id":256,"error":{"code":-32000,"message":"too many calls in flight","data":"too many calls in flight"}}`))
		leave(c)
		nvimtest.Eventually(t, "the calls have ended", func() (ended bool) {
			d.Do(t, func() { ended = d.Editor.Open() == 0 && d.Editor.Cancelled == 256*(i+1) })
			return ended
		})
	}
}

// A message may come in any way that RFC 6455 has for it.
func TestRequests_ComeInAnyFragments(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	pad, err := json.Marshal(strings.Repeat("né🤭", 70<<10/8))
	if err != nil {
		t.Fatal(err)
	}
	text := request(7, "ping", `{"pad":`+string(pad)+`}`)
	for _, size := range []int{1 << 20, 4099, 257} {
		var send, want []byte
		first := byte(wire.TextPart)
		for rest := text; len(rest) > 0; first = wire.MorePart {
			n := min(size, len(rest))
			send = append(send, wire.Frame(first, rest[:n])...)
			rest = rest[n:]
			send = append(send, wire.Frame(wire.Ping, fmt.Sprint(len(rest)))...)
			want = append(want, wire.Plain(wire.Pong, fmt.Sprint(len(rest)))...)
		}
		send = append(send, wire.Frame(wire.LastPart, "")...)
		c.SendIn(1000, send)
		c.Expect(want)
		c.Expect(reply(7, "{}"))
	}
}
