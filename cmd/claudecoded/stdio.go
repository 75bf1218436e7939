// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"claudecoded/cmd/claudecoded/internal/relay"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/lockfile"
)

// endTimeout bounds how long an editor that was started for a client may take to leave.
const endTimeout = 5 * time.Second

type stdioCommand struct {
	choiceFlags
	Headless bool   `xor:"editor" help:"Start a Neovim without a user interface for this client alone, which ends with it."`
	LogLevel string `enum:"debug,info,warn,error" default:"warn" placeholder:"L" help:"debug, info, warn or error (${default}); the log goes to stderr."`
}

// choiceFlags say which running editor is meant, on the command line.
type choiceFlags struct {
	Port uint16 `xor:"editor" placeholder:"N" help:"The editor whose server has this port."`
	PID  int    `name:"pid" xor:"editor" placeholder:"P" help:"The Neovim with this process id."`
	CWD  string `name:"cwd" xor:"editor" placeholder:"DIR" help:"The editor for this folder. By default that of the Neovim around this terminal, else the one for the working folder."`
}

func (c choiceFlags) choice() editorChoice {
	return editorChoice{Port: int(c.Port), PID: c.PID, CWD: c.CWD}
}

// Run is an MCP server on stdin and stdout for as long as stdin lasts.
func (c *stdioCommand) Run() error {
	in, out, err := takeStdio()
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	_ = level.UnmarshalText([]byte(c.LogLevel)) // the parser has checked it
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt, syscall.SIGHUP)
	defer stop()
	cfg := relay.Config{Version: programVersion(), Log: log}
	if c.Headless {
		return c.serveOwn(ctx, func(ctx context.Context, find func(int) (relay.Endpoint, error)) error {
			cfg.Find = find
			return relay.Run(ctx, in, out, cfg)
		})
	}
	wanted, err := c.choice().wanted()
	if err != nil {
		return err
	}
	cfg.Find = (&finder{wanted: wanted}).find
	if dir := registry(); dir != "" {
		if cfg.Changed, err = lockfile.Changes(ctx, dir); err != nil {
			log.Warn("editors that start are found late", "error", err)
		}
	}
	return relay.Run(ctx, in, out, cfg)
}

// serveOwn starts a Neovim and a server for it that nobody else finds, runs serve, and ends
// them.
func (c *stdioCommand) serveOwn(ctx context.Context, serve func(context.Context, func(int) (relay.Endpoint, error)) error) error {
	token, err := lockfile.NewToken()
	if err != nil {
		return err
	}
	log := newLogging(os.Stderr)
	defer log.close()
	if err := log.configure(c.LogLevel, ""); err != nil {
		return err
	}
	d, err := newDaemon(log)
	if err != nil {
		return err
	}
	d.adjust = func(o *nvimbridge.StartOptions) {
		o.Token, o.Lock, o.LogLevel, o.LogFile = token, false, "", ""
	}
	type result struct {
		port int
		err  error
	}
	ready := make(chan result, 1)
	d.started = func(l nvimbridge.Listening, err error) {
		if err != nil {
			d.fail(err)
		}
		ready <- result{l.Port, err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() {
		command := serveCommand{Editor: "headless"}
		err := command.serveNeovim(d)
		cancel(errors.Join(errors.New("the Neovim started for this client has ended"), err))
		ended <- err
	}()
	err = serve(ctx, func(int) (relay.Endpoint, error) {
		select {
		case r := <-ready:
			ready <- r
			return relay.Endpoint{Port: r.port, Token: token}, r.err
		case <-ctx.Done():
			return relay.Endpoint{}, context.Cause(ctx)
		}
	})
	d.loop.Post(func() { d.leave("the client is gone") })
	select {
	case failed := <-ended:
		return errors.Join(err, failed)
	case <-time.After(endTimeout):
		return fmt.Errorf("the Neovim started for this client does not end")
	}
}
