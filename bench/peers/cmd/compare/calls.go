// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"claudecoded/bench/claude"
)

// turn is how many calls are made in one way before the other has its turn.
const turn = 100

// way is one in which something is done, and what that took.
type way struct {
	call func() error
	took []float64 // in microseconds
	cpu  float64   // of Neovim's thread, in microseconds
}

// calls measures calls of tools in a Neovim, over the plugin's server and directly.
func calls(ctx context.Context, b *bench, servers []string) (values, error) {
	v, err := b.neovim(ctx)
	if err != nil {
		return nil, err
	}
	defer v.stop()
	at, err := v.serve(b)
	if err != nil {
		return nil, err
	}
	conn, err := introduced(ctx, at.Port, at.Token)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	echo, err := b.start(ctx, "echo")
	if err != nil {
		return nil, err
	}
	defer echo.stop()
	trip, err := trips(echo.port)
	if err != nil {
		return nil, err
	}
	own := &way{call: func() error { _, err := called(conn, "getWorkspaceFolders", `{}`); return err }}
	plain := &way{call: func() error { var result any; return v.ExecLua("return measured.folders()", &result) }}
	bare := &way{call: trip}
	if err := b.takeTurns(v, turn, own, plain, bare); err != nil {
		return nil, err
	}
	laterOwn, laterPlain, err := later(v, at)
	if err != nil {
		return nil, err
	}
	if err := b.takeTurns(v, 1, laterOwn, laterPlain); err != nil {
		return nil, err
	}
	return values{
		ours:   {middle(own.took), own.cpu / float64(len(own.took)), middle(laterOwn.took) / 1000},
		direct: {middle(plain.took) + middle(bare.took), plain.cpu / float64(len(plain.took)), middle(laterPlain.took) / 1000},
	}, nil
}

// takeTurns does things in each way so many times in turn, for the time of a measurement.
func (b *bench) takeTurns(v *neovim, times int, ways ...*way) error {
	for began := time.Now(); time.Since(began) < b.time || len(ways[0].took) == 0; {
		for _, w := range ways {
			before, err := v.thread()
			if err != nil {
				return err
			}
			for range times {
				started := time.Now()
				if err := w.call(); err != nil {
					return err
				}
				w.took = append(w.took, float64(time.Since(started))/float64(time.Microsecond))
			}
			after, err := v.thread()
			if err != nil {
				return err
			}
			w.cpu += after - before
		}
	}
	return nil
}

// trips returns a function that sends a request to a TCP echo and waits until it is back.
func trips(port int) (func() error, error) {
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	text := claude.CallText(7, "getWorkspaceFolders", []byte(`{}`))
	back := make([]byte, len(text))
	return func() error {
		if _, err := conn.Write(text); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, back)
		return err
	}, nil
}

// later are the two ways to call a tool that ends after 5 ms.
func later(v *neovim, at address) (own, plain *way, err error) {
	ended := make(chan struct{}, 1)
	if err := v.RegisterHandler("done", func(...any) { ended <- struct{}{} }); err != nil {
		return nil, nil, err
	}
	web, err := visit(at)
	if err != nil {
		return nil, nil, err
	}
	own = &way{call: func() error {
		body, err := web.call("nvim_later")
		if err == nil && body != laterAnswer {
			err = fmt.Errorf("over HTTP: %s", body)
		}
		return err
	}}
	plain = &way{call: func() error {
		if err := v.ExecLua("measured.later(...)", nil, v.ChannelID()); err != nil {
			return err
		}
		select {
		case <-ended:
			return nil
		case <-time.After(patience):
			return fmt.Errorf("the tool did not end")
		}
	}}
	return own, plain, nil
}
