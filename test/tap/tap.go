// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

const (
	// maxFrame bounds a frame that is printed, in bytes: the largest message of a
	// client. Behind a larger one nothing more of that direction is printed.
	maxFrame = 100 << 20
	// maxShown is how many bytes of a payload are printed.
	maxShown = 2000
)

// opcodes are the names of RFC 6455 section 5.2.
var opcodes = map[ws.OpCode]string{
	ws.OpContinuation: "continuation", ws.OpText: "text", ws.OpBinary: "binary",
	ws.OpClose: "close", ws.OpPing: "ping", ws.OpPong: "pong",
}

// printer writes whole lines of several connections and directions.
type printer struct {
	mu  sync.Mutex
	out io.Writer
}

func (p *printer) line(who, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Nobody is left to tell that the log cannot be written.
	_, _ = fmt.Fprintf(p.out, "%s %s %s\n", time.Now().Format("15:04:05.000"), who, fmt.Sprintf(format, args...))
}

// serve passes connections on to the port of 127.0.0.1 until ctx ends, and waits for
// them to end.
func serve(ctx context.Context, listener net.Listener, port int, out io.Writer) {
	p := &printer{out: out}
	var open sync.WaitGroup
	defer open.Wait()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for n := 1; ; n++ {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		open.Go(func() { pass(ctx, p, n, client, port) })
	}
}

func pass(ctx context.Context, p *printer, n int, client net.Conn, port int) {
	defer client.Close()
	server, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		p.line(fmt.Sprint(n), "the daemon does not answer: %v", err)
		return
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stop()
	var directions sync.WaitGroup
	directions.Go(func() { copyAndPrint(p, fmt.Sprintf("%d →", n), server, client) })
	directions.Go(func() { copyAndPrint(p, fmt.Sprintf("%d ←", n), client, server) })
	directions.Wait()
}

// copyAndPrint passes one direction on until its end, then half-closes.
func copyAndPrint(p *printer, who string, to, from net.Conn) {
	seen, copied := io.Pipe()
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		err := printStream(p, who, bufio.NewReader(seen))
		p.line(who, "ends: %v", err)
		_, _ = io.Copy(io.Discard, seen)
	}()
	_, err := io.Copy(to, io.TeeReader(from, copied))
	_ = copied.CloseWithError(errors.Join(err, io.EOF))
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	<-printed
}

// printStream prints the head and the frames of one direction.
func printStream(p *printer, who string, in *bufio.Reader) error {
	for line := "?"; line != ""; {
		text, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		line = strings.TrimRight(text, "\r\n")
		name, _, _ := strings.Cut(line, ":")
		if strings.Contains(strings.ToLower(name), "authorization") {
			line = name + ": (hidden)"
		}
		if line != "" {
			p.line(who, "%s", line)
		}
	}
	for {
		header, err := ws.ReadHeader(in)
		if err != nil {
			return err
		}
		if header.Length > maxFrame {
			return fmt.Errorf("a frame of %d bytes is too large to print", header.Length)
		}
		payload := make([]byte, header.Length)
		if _, err := io.ReadFull(in, payload); err != nil {
			return err
		}
		if header.Masked {
			ws.Cipher(payload, header.Mask, 0)
		}
		p.line(who, "%s", describe(header, payload))
	}
}

func describe(header ws.Header, payload []byte) string {
	name, known := opcodes[header.OpCode]
	if !known {
		name = fmt.Sprintf("opcode %d", header.OpCode)
	}
	if header.Rsv != 0 {
		name += fmt.Sprintf(" rsv=%03b", header.Rsv)
	}
	if !header.Fin {
		name += " unfinished"
	}
	if header.OpCode == ws.OpClose {
		code, reason := ws.ParseCloseFrameData(payload)
		return fmt.Sprintf("%s %d %q", name, code, reason)
	}
	shown, rest := payload[:min(len(payload), maxShown)], ""
	if len(shown) < len(payload) {
		rest = "…"
	}
	return fmt.Sprintf("%s %d bytes %#q%s", name, len(payload), shown, rest)
}
