// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gobwas/ws"

	"claudecoded/test/stage"
)

// dial connects to the server that was started, by a name of its host.
func (s *scene) dial(host string) (net.Conn, io.Reader, error) {
	s.t.Helper()
	lock := stage.Find(s.t, s.Env)
	dialer := ws.Dialer{
		Host:   host,
		Header: ws.HandshakeHeaderHTTP{"X-Claude-Code-Ide-Authorization": {lock.AuthToken}},
	}
	conn, read, _, err := dialer.Dial(stage.Within(s.t), fmt.Sprintf("ws://127.0.0.1:%d/", lock.Port))
	if err != nil {
		return nil, nil, err
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if read != nil { // with the answer to the upgrade
		return conn, read, nil
	}
	return conn, conn, nil
}

// silence is how long no frame comes where none is awaited.
const silence = 10 * time.Second

var daemons = map[string]probe{
	"daemon.cmd": {
		more: []string{`(function()
			local script = vim.env.HOME .. "/daemon"
			vim.fn.writefile({ "#!/bin/sh", 'echo "$*" >"$HOME/ran"', "exit 1" }, script)
			vim.fn.setfperm(script, "rwx------")
			return { script, "--mine" }
		end)()`},
		see: func(s *scene) string {
			s.Lua(nil, `
				require("claudecode.server").start_wait_ms = 60000
				require("claudecode").start()`)
			text, _ := os.ReadFile(filepath.Join(s.home, "ran"))
			return fmt.Sprintf("mine ran: %v", len(text) > 0)
		},
	},
	"daemon.log_file": {more: []string{`"~/daemon.log"`}, see: func(s *scene) string {
		s.serve()
		return fmt.Sprintf("there is a file: %v", stage.Exists(filepath.Join(s.home, "daemon.log")))
	}},
	"daemon.ping_interval_ms": {more: []string{"20"}, see: func(s *scene) string {
		s.Command("ClaudeCodeStart")
		conn, read, err := s.dial("")
		if err != nil {
			s.t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
			s.t.Fatal(err)
		}
		switch header, err := ws.ReadHeader(read); {
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
			return "no ping"
		case err != nil:
			s.t.Fatal(err)
			return ""
		default:
			return fmt.Sprintf("a ping: %v", header.OpCode == ws.OpPing)
		}
	}},
	"daemon.max_clients": {more: []string{"1"}, see: func(s *scene) string {
		s.serve()
		_, _, err := s.dial("")
		return fmt.Sprint("a second one: ", err)
	}},
	"daemon.allowed_hosts": {more: []string{`{ "proxy.example" }`}, see: func(s *scene) string {
		s.Command("ClaudeCodeStart")
		_, _, err := s.dial("proxy.example")
		return fmt.Sprint("by that name: ", err)
	}},
}
