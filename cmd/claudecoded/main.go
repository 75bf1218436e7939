// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command claudecoded lets Claude Code and other MCP clients work inside Neovim.
// Neovim starts it as a job and speaks msgpack-RPC on its stdin and stdout; alone, it
// attaches to a Neovim or starts one.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes other than 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

type commands struct {
	Embed   embedCommand   `cmd:"" help:"Serve the Neovim that started this process and speaks on its stdin and stdout. The default when neither is a terminal."`
	Serve   serveCommand   `cmd:"" help:"Serve a Neovim that runs elsewhere, one that is started here, or a stand-in."`
	Stdio   stdioCommand   `cmd:"" help:"Be an MCP server on stdin and stdout that hands everything on to a running Neovim."`
	List    listCommand    `cmd:"" help:"List the running editors."`
	Config  configCommand  `cmd:"" help:"Print the configuration with which a client finds this server."`
	Doctor  doctorCommand  `cmd:"" help:"Try the way from a client to a tool and back, and say where it ends."`
	Headers headersCommand `cmd:"" help:"Print the HTTP header that lets an MCP client in, for Claude Code's headersHelper."`
	Demo    demoCommand    `cmd:"" help:"Show a client at work in a Neovim with a small sample project."`
	Version versionCommand `cmd:"" help:"Print the version, the protocol spoken with the plugin, and Go's version."`
	Echo    echoCommand    `cmd:"" hidden:"" help:"Echo every message, for RFC 6455 test suites."`
}

func main() {
	// A client or a Neovim that left must not end the process through a write to
	// stdout or stderr, for which Go raises the signal again.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) == 0 {
		args = []string{"--help"}
		if !isTerminal(os.Stdin) && !isTerminal(os.Stdout) {
			args = []string{"embed"}
		}
	}
	parser, err := kong.New(&commands{},
		kong.Name("claudecoded"),
		kong.Description("Claude Code and every MCP client, inside Neovim."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		panic(err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "claudecoded: %v\n", err)
		return exitUsage
	}
	if err := command.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "claudecoded: %v\n", err)
		return exitFailed
	}
	return 0
}
