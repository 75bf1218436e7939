// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"os"
	"time"

	"claudecoded/reactor"
	"claudecoded/session"
	"claudecoded/session/echo"
)

type echoCommand struct {
	Port         portRange     `required:"" help:"Port on 127.0.0.1."`
	Token        string        `env:"MCP_AUTH_TOKEN" help:"What clients must present."`
	PingInterval time.Duration `default:"30s" help:"Time between two pings of each client (${default})."`
}

// Run echoes every text and binary message until a signal ends it.
func (c *echoCommand) Run() error {
	log := newLogging(os.Stderr)
	defer log.close()
	d, err := newDaemon(log)
	if err != nil {
		return err
	}
	server := session.New(d.loop, session.Config{
		Token: c.Token, PingInterval: max(c.PingInterval, 0), RunAsParsed: true, Log: log.Logger,
	})
	port, err := server.Listen(reactor.PortRange(c.Port), echo.Handler{Server: server})
	if err != nil {
		return err
	}
	d.server = server
	fmt.Printf("echo server listening on port %d\n", port)
	return d.run()
}
