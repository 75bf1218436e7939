// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func pipeline(t *testing.T, depth int, script func(*peer)) *Pipeline {
	t.Helper()
	conn, err := DialConn(within(t), listen(t, script), "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return NewPipeline(conn, "ping", depth)
}

func TestPipeline_KeepsDepthRequestsInFlight(t *testing.T) {
	t.Parallel()
	const depth, total = 4, 11
	p := pipeline(t, depth, func(p *peer) {
		p.upgrade()
		waiting := make([]string, 0, depth)
		for read := range total {
			waiting = append(waiting, p.readText())
			// The client may not wait for an answer before depth requests are out.
			if len(waiting) < min(depth, total-read+len(waiting)-1) && read < depth-1 {
				continue
			}
			p.text(answerTo(waiting[0]))
			waiting = waiting[1:]
		}
		for _, request := range waiting {
			p.text(answerTo(request))
		}
		p.drain()
	})
	observed := 0
	if err := p.Run(total, func(d time.Duration) { observed++ }); err != nil {
		t.Fatal(err)
	}
	if observed != total {
		t.Errorf("%d round trips observed, not %d", observed, total)
	}
}

func answerTo(request string) string {
	var m struct{ ID int }
	if err := json.Unmarshal([]byte(request), &m); err != nil {
		return err.Error()
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, m.ID)
}

func TestPipeline_AnswersAPingThatComesBetween(t *testing.T) {
	t.Parallel()
	p := pipeline(t, 1, func(p *peer) {
		p.upgrade()
		first := p.readText()
		// One write: the answer and a ping behind it.
		answer := answerTo(first)
		p.write("\x81" + string(rune(len(answer))) + answer + "\x89\x00")
		for range 2 {
			if text := p.readText(); text != "" {
				p.text(answerTo(text))
			}
		}
		p.drain()
	})
	if err := p.Run(2, func(time.Duration) {}); err != nil {
		t.Error(err)
	}
}

func TestPipeline_DropsNotifications(t *testing.T) {
	t.Parallel()
	p := pipeline(t, 1, func(p *peer) {
		p.upgrade()
		p.text(`{"jsonrpc":"2.0","method":"selection_changed"}`)
		for range 2 {
			p.text(answerTo(p.readText()))
			p.text(`{"jsonrpc":"2.0","method":"selection_changed"}`)
		}
		p.drain()
	})
	observed := 0
	if err := p.Run(2, func(time.Duration) { observed++ }); err != nil || observed != 2 {
		t.Errorf("%d answers, %v", observed, err)
	}
}

func TestRequests_AreSentInPieces(t *testing.T) {
	t.Parallel()
	var lengths []int
	var text []byte
	conn, err := DialConn(within(t), listen(t, func(p *peer) {
		p.upgrade()
		for fin := false; !fin; {
			frame := p.read()
			lengths, text, fin = append(lengths, len(frame.Payload)), append(text, frame.Payload...), frame.Header.Fin
		}
		p.text(answerTo(string(text)))
		p.drain()
	}), "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	p := NewRequests(conn, 1, 16, func(id int) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"m"}`, id)
	})
	if err := p.Run(1, func(time.Duration) {}); err != nil {
		t.Fatal(err)
	}
	if want := []int{16, 16, 5}; !slices.Equal(lengths, want) {
		t.Errorf("frames of %v bytes, not %v", lengths, want)
	}
}

func TestPipeline_RefusesWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"not JSON":       "x",
		"another id":     `{"jsonrpc":"2.0","id":5,"result":{}}`,
		"an error":       `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"m"}}`,
		"a failed tool":  `{"jsonrpc":"2.0","id":0,"result":{"content":[],"isError":true}}`,
		"no result":      `{"jsonrpc":"2.0","id":0}`,
		"both":           `{"jsonrpc":"2.0","id":0,"result":{},"error":{"code":1,"message":"m"}}`,
		"answered twice": `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pipeline(t, 2, func(p *peer) {
				p.upgrade()
				p.readText()
				p.readText()
				p.text(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				p.text(answer)
				p.drain()
			})
			if err := p.Run(2, func(time.Duration) {}); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v", err)
			}
		})
	}
}
