// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServe_PassesEveryByteAndPrintsTheFrames(t *testing.T) {
	t.Parallel()
	request := "GET / HTTP/1.1\r\nX-Claude-Code-Ide-Authorization: secret\r\n\r\n" +
		string(ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte(`{"id":0}`)))))
	reply := "HTTP/1.1 101 Switching Protocols\r\n\r\n" +
		string(ws.MustCompileFrame(ws.NewPingFrame([]byte("p")))) +
		string(ws.MustCompileFrame(ws.NewTextFrame(bytes.Repeat([]byte("x"), maxShown+1)))) +
		string(ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(1001, "bye"))))

	daemon := listen(t)
	received := make(chan string, 1)
	go func() {
		conn, err := daemon.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, _ = io.WriteString(conn, reply)
		text, _ := io.ReadAll(conn)
		received <- string(text)
	}()

	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	front := listen(t)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(ctx, front, daemon.Addr().(*net.TCPAddr).Port, &out)
	}()

	client, err := net.Dial("tcp4", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_ = client.SetDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(client, request)
	_ = client.(*net.TCPConn).CloseWrite()
	if text, err := io.ReadAll(client); err != nil || string(text) != reply {
		t.Errorf("the client got %d bytes, %v; want %d", len(text), err, len(reply))
	}
	if text := <-received; text != request {
		t.Errorf("the daemon got %q, want %q", text, request)
	}
	cancel()
	<-served

	for _, want := range []string{
		"1 → GET / HTTP/1.1\n", "1 → X-Claude-Code-Ide-Authorization: (hidden)\n", "1 → text 8 bytes `{\"id\":0}`\n",
		"1 ← ping 1 bytes `p`\n", "x`…\n", "1 ← close 1001 \"bye\"\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("the token was printed")
	}
}

func TestPrintStream_EndsAtAFrameTooLargeToPrint(t *testing.T) {
	t.Parallel()
	var header bytes.Buffer
	if err := ws.WriteHeader(&header, ws.Header{Fin: true, OpCode: ws.OpText, Length: maxFrame + 1}); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(io.MultiReader(strings.NewReader("HTTP/1.1 101\r\n\r\n"), &header))
	if err := printStream(&printer{out: io.Discard}, "", in); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
