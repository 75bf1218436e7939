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
// that the client's own work is a small part of what is measured.
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

// NewPipeline prepares depth requests of one method without parameters, with the ids 0
// to depth-1. The connection is the pipeline's from now on.
func NewPipeline(conn *Conn, method string, depth int) *Pipeline {
	p := &Pipeline{
		conn:   conn,
		frames: make([][]byte, depth),
		sent:   make([]time.Time, depth),
		slots:  make(map[string]int, depth),
	}
	for slot := range p.frames {
		text := fmt.Sprintf(`{"method":%q,"jsonrpc":"2.0","id":%d}`, method, slot)
		p.frames[slot] = compile(ws.NewTextFrame([]byte(text)))
	}
	return p
}

// Run sends total requests, gives each round trip to observe and returns when the last
// answer came, or with the first wrong answer.
func (p *Pipeline) Run(total int, observe func(time.Duration)) error {
	first := min(total, len(p.frames))
	for slot := range first {
		p.queue(slot)
	}
	if err := p.flush(); err != nil {
		return err
	}
	for sent, answered := first, 0; answered < total; answered++ {
		text, err := p.conn.ReadMessage()
		if err != nil {
			return err
		}
		slot, err := p.slot(text)
		if err != nil {
			return err
		}
		observe(time.Since(p.sent[slot]))
		p.sent[slot] = time.Time{}
		if sent < total {
			p.queue(slot)
			sent++
		}
		// The requests that follow the answers of one read leave in one write, at the
		// latest when the server has nothing left to answer.
		if p.conn.in.Buffered() == 0 || p.queued == sent-answered-1 {
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

func (p *Pipeline) slot(text []byte) (int, error) {
	slot, known := p.slots[string(text)]
	if !known {
		var m incoming
		if err := json.Unmarshal(text, &m); err != nil {
			return 0, wrong("a message: %v", err)
		}
		id, err := strconv.Atoi(string(m.ID))
		if err != nil || id < 0 || id >= len(p.frames) || m.JSONRPC != "2.0" || m.Result == nil || m.Error != nil {
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
