// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command echo is a bare TCP echo on the program's own loop: what is left when nothing is
// parsed, which is the limit.
package main

import (
	"log/slog"

	"claudecoded/bench/peers/answer"
	"claudecoded/reactor"
)

type client struct{ conn reactor.Conn }

func (c client) Data(p []byte) { c.conn.Write([][]byte{append([]byte(nil), p...)}, nil) }
func (c client) EOF()          { c.conn.Close() }
func (client) Closed(error)    {}

func main() {
	loop, err := reactor.New(reactor.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		answer.Fail(err)
	}
	listener, err := loop.Listen(reactor.PortRange{}, func(c reactor.Conn) reactor.Events { return client{c} })
	if err != nil {
		answer.Fail(err)
	}
	answer.ReadyAt(listener.Port())
	if err := loop.Run(); err != nil {
		answer.Fail(err)
	}
}
