// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"claudecoded/bench/claude"
)

const (
	// setupsPerRound is how many Neovims set the plugin up in a round.
	setupsPerRound = 3
	// rested is how long a Neovim has been left alone when something is measured in it.
	rested = 200 * time.Millisecond
	// moves is how often the cursor is moved in either way, each time after a while that is
	// longer than the plugin waits for the next move.
	moves, between = 10, 120 * time.Millisecond
)

// setups is what setup() with its auto-start costs Neovim's thread until the server serves
// and nothing is left to do, in milliseconds, and how long it takes until the lock file is there.
func setups(ctx context.Context, b *bench, _ []string) (values, error) {
	var cost, took []float64
	for range setupsPerRound {
		ran, until, err := b.setup(ctx)
		if err != nil {
			return nil, err
		}
		cost, took = append(cost, ran), append(took, until)
	}
	return values{ours: {middle(cost), middle(took)}}, nil
}

func (b *bench) setup(ctx context.Context) (cost, took float64, err error) {
	v, err := b.neovim(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer v.stop()
	if err := pause(ctx, rested); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := v.ExecLua("measured.setup(...)", nil, filepath.Join(b.bin, ours)); err != nil {
		return 0, 0, err
	}
	// A look from outside costs Neovim nothing.
	for locks := filepath.Join(v.dir, ".claude", "ide"); ; time.Sleep(time.Millisecond / 2) {
		if files, err := os.ReadDir(locks); err == nil && len(files) > 0 {
			break
		}
		if time.Since(began) > patience {
			return 0, 0, fmt.Errorf("there is no lock file in %s", locks)
		}
	}
	took = float64(time.Since(began)) / float64(time.Millisecond)
	if err := pause(ctx, rested); err != nil {
		return 0, 0, err
	}
	var done struct {
		US   float64 `msgpack:"us"`
		Port int     `msgpack:"port"`
	}
	if err := v.ExecLua("return measured.set_up()", &done); err != nil {
		return 0, 0, err
	}
	if done.Port == 0 {
		return 0, 0, fmt.Errorf("Neovim does not know its server's port")
	}
	return done.US / 1000, took, nil
}

// pushes is what one key that moves the cursor costs Neovim's thread, with a client that is
// told of it and with nobody to tell.
func pushes(ctx context.Context, b *bench, _ []string) (values, error) {
	v, err := b.neovim(ctx)
	if err != nil {
		return nil, err
	}
	defer v.stop()
	at, err := v.serve(b)
	if err != nil {
		return nil, err
	}
	if err := v.ExecLua(`vim.cmd.edit("moving.txt") vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn["repeat"]({ "a line" }, 100))`, nil); err != nil {
		return nil, err
	}
	conn, err := introduced(ctx, at.Port, at.Token)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	// What is current is told soon after the client came.
	if err := selection(conn); err != nil {
		return nil, err
	}
	told, err := v.move(ctx, func() error { return selection(conn) })
	if err != nil {
		return nil, err
	}
	if err := v.ExecLua(`require("claudecode.selection").disable()`, nil); err != nil {
		return nil, err
	}
	untold, err := v.move(ctx, func() error { return nil })
	return values{ours: {told}, direct: {untold}}, err
}

// move moves the cursor and returns what each key cost Neovim's thread in microseconds.
func (n *neovim) move(ctx context.Context, then func() error) (float64, error) {
	before, err := n.thread()
	if err != nil {
		return 0, err
	}
	for range moves {
		if _, err := n.Input("j"); err != nil {
			return 0, err
		}
		if err := pause(ctx, between); err != nil {
			return 0, err
		}
		if err := then(); err != nil {
			return 0, err
		}
	}
	after, err := n.thread()
	return (after - before) / moves, err
}

// selection waits until the client is told of one.
func selection(conn *claude.Conn) error {
	for {
		text, err := conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("waiting for a selection: %w", err)
		}
		if bytes.Contains(text, []byte(`"method":"selection_changed"`)) {
			return nil
		}
	}
}
