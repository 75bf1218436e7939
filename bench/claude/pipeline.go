// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gobwas/ws"
)

// Pipeline keeps a fixed number of requests in flight on one connection, as fast as the
// server answers. The frames are built beforehand and the answers compared as bytes, so
// that the client's own work is a small part of what is measured. Notifications of the
// server are dropped.
type Pipeline struct {
	conn   *Conn
	frames [][]byte
	sent   []time.Time
	// slots names the request that an answer belongs to. An answer is parsed and
	// checked the first time its bytes are seen.
	slots map[string]int
	// batch holds the frames of the next write, queued of them.
	batch  []byte
	queued int
}

// none is the slot of a message that answers no request.
const none = -1

// NewPipeline prepares depth requests of one method without parameters, with the ids 0
// to depth-1. The connection is the pipeline's from now on.
func NewPipeline(conn *Conn, method string, depth int) *Pipeline {
	return NewRequests(conn, depth, 0, func(id int) []byte {
		return fmt.Appendf(nil, `{"method":%q,"jsonrpc":"2.0","id":%d}`, method, id)
	})
}

// NewRequests prepares depth requests whose texts have the ids 0 to depth-1, each one
// frame or, if piece is not 0, frames of at most piece bytes. The connection is the
// pipeline's from now on.
func NewRequests(conn *Conn, depth, piece int, text func(id int) []byte) *Pipeline {
	p := &Pipeline{
		conn:   conn,
		frames: make([][]byte, depth),
		sent:   make([]time.Time, depth),
		slots:  make(map[string]int, depth),
	}
	for slot := range p.frames {
		p.frames[slot] = fragments(text(slot), piece)
	}
	return p
}

// fragments is a text message as frames of at most piece bytes, or one if piece is 0.
func fragments(text []byte, piece int) []byte {
	if piece == 0 || len(text) <= piece {
		return compile(ws.NewTextFrame(text))
	}
	frames := compile(ws.NewFrame(ws.OpText, false, text[:piece]))
	for text = text[piece:]; len(text) > piece; text = text[piece:] {
		frames = append(frames, compile(ws.NewFrame(ws.OpContinuation, false, text[:piece]))...)
	}
	return append(frames, compile(ws.NewFrame(ws.OpContinuation, true, text))...)
}

// Run sends total requests, gives each round trip to observe and returns when the last
// answer came, or with the first wrong answer.
func (p *Pipeline) Run(total int, observe func(time.Duration)) error {
	sent := 0
	return p.RunWhile(func() bool { sent++; return sent <= total }, observe)
}

// RunWhile is Run that asks before each request whether there is one more.
func (p *Pipeline) RunWhile(more func() bool, observe func(time.Duration)) error {
	inFlight := 0
	for ; inFlight < len(p.frames) && more(); inFlight++ {
		p.queue(inFlight)
	}
	if err := p.flush(); err != nil {
		return err
	}
	for inFlight > 0 {
		text, err := p.conn.ReadMessage()
		if err != nil {
			return err
		}
		slot, err := p.slot(text)
		if err != nil {
			return err
		}
		if slot != none {
			observe(time.Since(p.sent[slot]))
			p.sent[slot] = time.Time{}
			inFlight--
			if more() {
				p.queue(slot)
				inFlight++
			}
		}
		// The requests that follow the answers of one read leave in one write, at the
		// latest when the server has nothing left to answer.
		if p.conn.in.Buffered() == 0 || p.queued == inFlight {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Pipeline) queue(slot int) {
	p.sent[slot] = time.Now()
	p.batch = append(p.batch, p.frames[slot]...)
	p.queued++
}

func (p *Pipeline) flush() error {
	if len(p.batch) == 0 {
		return nil
	}
	err := p.conn.writeRaw(p.batch)
	p.batch, p.queued = p.batch[:0], 0
	return err
}

// slot is the request that a message answers, or none for a notification.
func (p *Pipeline) slot(text []byte) (int, error) {
	slot, known := p.slots[string(text)]
	if !known {
		var m incoming
		if err := json.Unmarshal(text, &m); err != nil {
			return 0, wrong("a message: %v", err)
		}
		if m.JSONRPC == "2.0" && m.Method != "" && m.ID == nil {
			return none, nil
		}
		id, err := strconv.Atoi(string(m.ID))
		if err != nil || id < 0 || id >= len(p.frames) || m.JSONRPC != "2.0" || !m.succeeded() {
			return 0, wrong("not an answer to one of the requests: %.200s", text)
		}
		slot = id
		// The server may vary its bytes; only the first form is remembered.
		if len(p.slots) < len(p.frames) {
			p.slots[string(text)] = slot
		}
	}
	if p.sent[slot].IsZero() {
		return 0, wrong("two answers to request %d", slot)
	}
	return slot, nil
}

// succeeded reports whether an answer is a result, and not that of a tool that failed.
func (m incoming) succeeded() bool {
	var failed struct{ IsError bool }
	return m.Error == nil && m.Result != nil && (json.Unmarshal(m.Result, &failed) != nil || !failed.IsError)
}
