// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/gobwas/ws"
)

// Introduce does on a bare connection what Client.Start does, one message after the
// other, and returns the tools that the server lists. What the server tells meanwhile is
// dropped.
func (c *Conn) Introduce() ([]Tool, error) {
	var hello Initialized
	if err := c.ask(0, "initialize", initializeParams(), &hello); err != nil {
		return nil, err
	}
	if err := hello.check(); err != nil {
		return nil, err
	}
	for _, m := range []request{
		{Method: "notifications/initialized", JSONRPC: "2.0"},
		{Method: "ide_connected", Params: map[string]int{"pid": os.Getpid()}, JSONRPC: "2.0"},
	} {
		if err := c.write(m); err != nil {
			return nil, err
		}
	}
	var list struct{ Tools []Tool }
	if err := c.ask(1, "tools/list", nil, &list); err != nil {
		return nil, err
	}
	if hello.Capabilities["prompts"] != nil {
		var prompts struct{ Prompts []json.RawMessage }
		if err := c.ask(2, "prompts/list", nil, &prompts); err != nil {
			return nil, err
		}
	}
	return list.Tools, checkTools(list.Tools)
}

func (c *Conn) write(m any) error {
	text, err := marshal(m)
	if err != nil {
		return err
	}
	return c.WriteMessage(text)
}

// ask sends a request and waits for its answer, the next message that is one.
func (c *Conn) ask(id int64, method string, params, result any) error {
	if err := c.write(request{Method: method, Params: params, JSONRPC: "2.0", ID: &id}); err != nil {
		return err
	}
	for {
		text, err := c.ReadMessage()
		if err != nil {
			return err
		}
		var m incoming
		if err := json.Unmarshal(text, &m); err != nil {
			return wrong("a message: %v", err)
		}
		if m.Method != "" {
			continue
		}
		if string(m.ID) != strconv.FormatInt(id, 10) {
			return wrong("an answer to %s, not to %d", m.ID, id)
		}
		if err := m.decode(result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
}

// CallText is the text of a tools/call request as the real client writes it; arguments is
// JSON text.
func CallText(id int, tool string, arguments []byte) []byte {
	number := int64(id)
	text, err := marshal(request{
		Method: "tools/call", JSONRPC: "2.0", ID: &number,
		Params: callParams(tool, json.RawMessage(arguments), number),
	})
	if err != nil {
		panic("claude: the arguments of a call: " + err.Error())
	}
	return text
}

// slowPiece is how many bytes a slow reader takes at once.
const slowPiece = 4 << 10

// ReadSlowly has the connection read at most bytesPerSecond from now on.
func (c *Conn) ReadSlowly(bytesPerSecond int) {
	if tcp, ok := c.tcp.(*net.TCPConn); ok {
		// What the kernel takes in meanwhile is not slow; a refusal leaves its default.
		_ = tcp.SetReadBuffer(slowPiece)
	}
	pause := time.Duration(slowPiece) * time.Second / time.Duration(bytesPerSecond)
	c.in = bufio.NewReaderSize(&slowReader{c.in, pause}, slowPiece)
}

type slowReader struct {
	r     io.Reader
	pause time.Duration
}

func (s *slowReader) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.r.Read(p[:min(len(p), slowPiece)])
}

// Reset breaks the connection off in the middle of a message: half a frame, then RST.
func (c *Conn) Reset() error {
	frame := compile(ws.NewTextFrame([]byte(`{"jsonrpc":"2.0","method":"ping"}`)))
	_ = c.writeRaw(frame[:len(frame)/2])
	if tcp, ok := c.tcp.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	return c.Close()
}

// Leave says goodbye as the real client does: a Close frame without a code, the server's
// answer (for at most 2 s), the end of the socket.
func (c *Conn) Leave() error {
	defer c.Close()
	_ = c.tcp.SetDeadline(time.Now().Add(closeTimeout))
	if err := c.writeFrame(ws.NewCloseFrame(nil)); err != nil {
		return err
	}
	for {
		var closed *CloseError
		if _, err := c.ReadMessage(); errors.As(err, &closed) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// SetDeadline bounds every later read and write; the zero time takes the bound away.
func (c *Conn) SetDeadline(t time.Time) error { return c.tcp.SetDeadline(t) }
