// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/memory"
	"claudecoded/nvimbridge/turns"
	"claudecoded/reactor"
)

// attachTimeout bounds how long a Neovim may take to load the plugin: one that waits for
// a key answers nothing.
const attachTimeout = 30 * time.Second

type serveCommand struct {
	Editor       string        `enum:",headless,memory,attach" default:"" placeholder:"headless|memory|attach" help:"What runs the tools: a Neovim started here, a stand-in, or a Neovim that runs. Without it: attach if an address is known, else headless."`
	Nvim         string        `env:"NVIM_LISTEN_ADDRESS" placeholder:"ADDR" help:"Address of the Neovim to attach to, as in its v:servername; in a terminal of Neovim that is known ($NVIM)."`
	Port         portRange     `env:"MCP_PORT" default:"0" placeholder:"N or A-B" help:"Port on 127.0.0.1; 0 lets the system choose."`
	Token        string        `env:"MCP_AUTH_TOKEN" placeholder:"T" help:"What clients must present. Prefer the variable: every user of the machine sees arguments. Without it: a random one, in the lock file."`
	PingInterval time.Duration `default:"30s" help:"Time between two pings of each client (${default})."`
	MaxClients   int           `default:"64" placeholder:"N" help:"WebSocket clients that may be connected at once (${default})."`
	MaxHTTP      int           `name:"max-http-clients" default:"64" placeholder:"N" help:"Connections of HTTP clients there may be at once (${default})."`
	AllowedHost  []string      `sep:"none" placeholder:"NAME" help:"Name that a client's Host header may have besides the loopback ones, such as a container's for this machine; may be repeated."`
	NoLock       bool          `name:"no-lock" help:"Write no lock file. Needs a token."`
	LogLevel     string        `enum:"trace,debug,info,warn,error" default:"info" placeholder:"L" help:"trace, debug, info, warn or error (${default})."`
	LogFile      string        `env:"MCP_LOG_FILE" placeholder:"F" help:"Append the log to this file too."`
	ToolTimeout  toolTimeout   `env:"MCP_TOOL_TIMEOUT" hidden:"" help:"Milliseconds a tool with no limit of its own may take; 0 is no limit."`
}

// Run prints the port once, serves, and ends at a signal or with the editor.
func (c *serveCommand) Run() error {
	if err := c.check(); err != nil {
		return err
	}
	log := newLogging(os.Stderr)
	defer log.close()
	if err := log.configure(c.LogLevel, c.LogFile); err != nil {
		return err
	}
	d, err := newDaemon(log)
	if err != nil {
		return err
	}
	d.toolTimeout = time.Duration(c.ToolTimeout)
	d.maxHTTP = c.MaxHTTP
	if !c.NoLock {
		d.registry = registry()
	}
	d.adjust = c.adjust
	d.started = func(l nvimbridge.Listening, err error) {
		if err != nil {
			d.fail(err)
			return
		}
		fmt.Printf("MCP server listening on port %d\n", l.Port)
	}
	if c.Editor == "memory" {
		return c.serveMemory(d)
	}
	return c.serveNeovim(d)
}

func (c *serveCommand) check() error {
	c.Nvim = cmp.Or(c.Nvim, os.Getenv("NVIM"))
	if c.Editor == "" {
		c.Editor = "headless"
		if c.Nvim != "" {
			c.Editor = "attach"
		}
	}
	switch {
	case c.Editor == "attach" && c.Nvim == "":
		return errors.New("no Neovim to attach to: give --nvim or set NVIM_LISTEN_ADDRESS")
	case c.NoLock && c.Token == "":
		return errors.New("--no-lock needs a token (MCP_AUTH_TOKEN or --token), or nobody could connect")
	case c.PingInterval <= 0:
		return errors.New("--ping-interval must be more than 0")
	case c.MaxClients <= 0:
		return errors.New("--max-clients must be more than 0")
	case c.MaxHTTP <= 0:
		return errors.New("--max-http-clients must be more than 0")
	case slices.Contains(c.AllowedHost, ""):
		return errors.New("--allowed-host needs a name")
	}
	return nil
}

// adjust puts what the user asked for into what the editor says of itself.
func (c *serveCommand) adjust(o *nvimbridge.StartOptions) {
	o.PortMin, o.PortMax = c.Port.Min, c.Port.Max
	o.Token, o.Lock = c.Token, !c.NoLock
	o.PingInterval, o.MaxClients = c.PingInterval, c.MaxClients
	o.AllowedHosts = c.AllowedHost
	o.LogLevel, o.LogFile = "", ""
}

func (c *serveCommand) serveMemory(d *daemon) error {
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	editor := memory.New(memory.Config{
		Post: d.loop.Post, Finish: host{d}.Finish, Folder: folder,
		Broadcast: func(method string, params []byte) { host{d}.Broadcast(0, method, params) },
	})
	d.bind(editor, nobody{})
	host{d}.Catalogue(editor.Catalogue())
	host{d}.Start(nvimbridge.StartOptions{WorkspaceFolders: []string{folder}, IDEName: "claudecoded"})
	return d.run()
}

func (c *serveCommand) serveNeovim(d *daemon) error {
	plugin, err := pluginFolder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), attachTimeout)
	defer cancel()
	bridge, err := c.bridge(ctx, d)
	if err != nil {
		return err
	}
	d.bind(bridge, bridge)
	bridge.Serve(host{d})
	go func() {
		if err := bridge.Attached(ctx, plugin); err != nil {
			d.loop.Post(func() { d.fail(err) })
		}
	}()
	err = d.run()
	cancel()
	return errors.Join(err, bridge.Close())
}

func (c *serveCommand) bridge(ctx context.Context, d *daemon) (*nvimbridge.Bridge, error) {
	if c.Editor == "attach" {
		return nvimbridge.Attach(ctx, d.bridgeConfig(), c.Nvim)
	}
	return nvimbridge.Headless(d.bridgeConfig(), nvimbridge.Command{Stderr: os.Stderr})
}

// nobody is told what a stand-in need not know.
type nobody struct{}

func (nobody) Ready(nvimbridge.Listening)       {}
func (nobody) Failed(string, string)            {}
func (nobody) ClientOpened(uint64)              {}
func (nobody) ClientReady(uint64)               {}
func (nobody) ClientClosed(uint64, int, string) {}
func (nobody) Written(int64, int)               {}
func (nobody) Locked(string, string)            {}
func (nobody) Log(string, string)               {}
func (nobody) TurnsChanged(turns.News)          {}

// portRange is a port or a range of ports on the command line.
type portRange reactor.PortRange

// UnmarshalText reads N or A-B; an empty text is 0.
func (p *portRange) UnmarshalText(text []byte) error {
	low, high, ranged := strings.Cut(cmp.Or(string(text), "0"), "-")
	if !ranged {
		high = low
	}
	for field, digits := range map[*int]string{&p.Min: low, &p.Max: high} {
		port, err := strconv.ParseUint(digits, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is neither a port (0 to 65535) nor a range such as 10000-10099", text)
		}
		*field = int(port)
	}
	return nil
}

// toolTimeout is a time in milliseconds; none if it is not a positive number.
type toolTimeout time.Duration

// UnmarshalText reads a number of milliseconds.
func (t *toolTimeout) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	ms, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || ms <= 0 {
		ms = -1
	}
	*t = toolTimeout(time.Duration(ms) * time.Millisecond)
	return nil
}
