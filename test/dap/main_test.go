// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package dap tests the tools of the debugger in real Neovims, with a stand-in for the
// public functions of nvim-dap, or nvim-dap itself if PluginVar names its folder, and with
// adapters that speak the Debug Adapter Protocol over stdio and do what the test says.
package dap

import (
	"io"
	"net"
	"os"
	"testing"

	"claudecoded/test/stage"
)

// PluginVar names the environment variable that holds the folder of nvim-dap.
const PluginVar = "CLAUDECODED_NVIM_DAP"

// relayArg has this program be an adapter whose stdio a test speaks through.
const relayArg = "relay"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == relayArg {
		relay(os.Args[2])
		return
	}
	stage.Main(m)
}

// relay connects stdio to a test, and ends when either does.
func relay(address string) {
	conn, err := net.Dial("tcp4", address)
	if err != nil {
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
}
