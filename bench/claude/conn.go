// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

const (
	// maxMessage bounds a message from the server in bytes: the real client closes
	// the connection when one is larger.
	maxMessage = 16 << 20
	// maxHead bounds the reply to the upgrade request in bytes.
	maxHead = 16 << 10
	// dialTimeout bounds connecting and upgrading, as in the real client.
	dialTimeout = 30 * time.Second
	// closeTimeout bounds how long Close waits for the server's Close frame.
	closeTimeout = 2 * time.Second
	// acceptGUID is appended to the key before it is hashed (RFC 6455 section 1.3).
	acceptGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
)

// RejectedError is a server's refusal to upgrade.
type RejectedError struct {
	Status int
	Body   string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("claude: the server refused the upgrade: %d %s", e.Status, strings.TrimSpace(e.Body))
}

// CloseError is the Close frame that ended a connection. Code 1005 means that the
// frame had no code.
type CloseError struct {
	Code   int
	Reason string
}

func (e *CloseError) Error() string {
	return fmt.Sprintf("claude: the server closed the connection: %d %s", e.Code, e.Reason)
}

// ErrProtocol is wrapped by every error about bytes or answers that no correct server sends.
var ErrProtocol = errors.New("claude: wrong answer")

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProtocol, fmt.Sprintf(format, args...))
}

// Conn is an upgraded connection: whole messages in, whole messages out. One goroutine
// reads; any may write, because every frame is one write of the socket. Nothing in it
// starts a goroutine.
type Conn struct {
	tcp net.Conn
	in  *bufio.Reader
}

// DialConn connects to the port on 127.0.0.1 and upgrades with the request of the real
// client. An empty token sends no token header. It ends with ctx, or after 30 s.
func DialConn(ctx context.Context, port int, token string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	host := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	tcp, err := new(net.Dialer).DialContext(ctx, "tcp4", host)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server: %w", err)
	}
	// A deadline in the past unblocks the read below when ctx ends first.
	stop := context.AfterFunc(ctx, func() { tcp.SetDeadline(time.Unix(1, 0)) })
	c := &Conn{tcp: tcp}
	err = c.upgrade(host, token)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		tcp.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) upgrade(host, token string) error {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	key := base64.StdEncoding.EncodeToString(nonce)
	if _, err := io.WriteString(c.tcp, upgradeRequest(host, key, token)); err != nil {
		return fmt.Errorf("sending the upgrade request: %w", err)
	}
	head := &io.LimitedReader{R: c.tcp, N: maxHead}
	c.in = bufio.NewReaderSize(head, maxHead)
	reply, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return fmt.Errorf("reading the reply to the upgrade: %w", err)
	}
	if reply.StatusCode != http.StatusSwitchingProtocols {
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			return fmt.Errorf("reading the refusal: %w", err)
		}
		return &RejectedError{Status: reply.StatusCode, Body: string(body)}
	}
	digest := sha1.Sum([]byte(key + acceptGUID))
	for name, want := range map[string]string{
		"Sec-WebSocket-Accept":     base64.StdEncoding.EncodeToString(digest[:]),
		"Sec-WebSocket-Protocol":   "mcp",
		"Sec-WebSocket-Extensions": "",
	} {
		if got := reply.Header.Get(name); got != want {
			return wrong("%s is %q, not %q", name, got, want)
		}
	}
	if !strings.EqualFold(reply.Header.Get("Upgrade"), "websocket") {
		return wrong("Upgrade is %q", reply.Header.Get("Upgrade"))
	}
	head.N = math.MaxInt64
	return nil
}

// upgradeRequest is the real client's request, header by header.
func upgradeRequest(host, key, token string) string {
	lines := []string{
		"GET / HTTP/1.1",
		"Host: " + host,
		"Connection: Upgrade",
		"Upgrade: websocket",
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
		"Sec-WebSocket-Key: " + key,
		"Sec-WebSocket-Protocol: mcp",
		"User-Agent: claude-code/" + clientVersion + " (cli)",
	}
	if token != "" {
		lines = append(lines, "X-Claude-Code-Ide-Authorization: "+token)
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// ReadMessage waits for the next whole message and answers control frames meanwhile.
// A Close frame is answered, and reported as *CloseError.
func (c *Conn) ReadMessage() ([]byte, error) {
	var message []byte
	var state ws.State
	for {
		frame, err := c.readFrame(state, maxMessage-len(message))
		if err != nil {
			return nil, err
		}
		if frame.Header.OpCode.IsControl() {
			if err := c.answerControl(frame); err != nil {
				return nil, err
			}
			continue
		}
		message = append(message, frame.Payload...)
		if !frame.Header.Fin {
			state = ws.StateFragmented
			continue
		}
		if !utf8.Valid(message) {
			return nil, wrong("a message is not valid UTF-8")
		}
		return message, nil
	}
}

func (c *Conn) readFrame(state ws.State, room int) (ws.Frame, error) {
	header, err := ws.ReadHeader(c.in)
	if err != nil {
		return ws.Frame{}, fmt.Errorf("reading a frame: %w", err)
	}
	if err := ws.CheckHeader(header, state|ws.StateClientSide); err != nil {
		return ws.Frame{}, wrong("a frame header: %v", err)
	}
	if header.Length > int64(room) {
		return ws.Frame{}, wrong("a message of more than %d bytes", maxMessage)
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return ws.Frame{}, fmt.Errorf("reading a frame: %w", err)
	}
	return ws.Frame{Header: header, Payload: payload}, nil
}

func (c *Conn) answerControl(frame ws.Frame) error {
	switch frame.Header.OpCode {
	case ws.OpPing:
		return c.writeFrame(ws.NewPongFrame(frame.Payload))
	case ws.OpClose:
		closed := &CloseError{Code: int(ws.StatusNoStatusRcvd)}
		if len(frame.Payload) >= 2 {
			closed.Code = int(binary.BigEndian.Uint16(frame.Payload))
			closed.Reason = string(frame.Payload[2:])
		}
		// The peer may be gone already; what ended the connection is its Close frame.
		_ = c.writeFrame(ws.NewCloseFrame(frame.Payload))
		return closed
	}
	return nil
}

// WriteMessage sends one text message, masked with a fresh key. text is not changed.
func (c *Conn) WriteMessage(text []byte) error {
	return c.writeFrame(ws.NewTextFrame(text))
}

func (c *Conn) writeFrame(frame ws.Frame) error {
	return c.writeRaw(compile(frame))
}

func (c *Conn) writeRaw(frames []byte) error {
	if _, err := c.tcp.Write(frames); err != nil {
		return fmt.Errorf("writing a frame: %w", err)
	}
	return nil
}

// compile returns the masked bytes of a frame (RFC 6455 section 5.3).
func compile(frame ws.Frame) []byte {
	bytes, err := ws.CompileFrame(ws.MaskFrame(frame))
	if err != nil {
		panic("claude: compiling a frame: " + err.Error())
	}
	return bytes
}

// Close ends the connection at once, without a Close frame.
func (c *Conn) Close() error { return c.tcp.Close() }
