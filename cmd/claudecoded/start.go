// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"claudecoded/cmd/seam"
	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/lockfile"
	"claudecoded/reactor"
	"claudecoded/session"
)

// Why a server may not start.
var (
	errRunning = errors.New("the server is running already")
	errNoToken = errors.New("without a lock file a token must be given, or nobody could connect")
)

// setTools replaces the catalogue. A tool that clients would choke on is left out, and
// the user is told.
func (d *daemon) setTools(tools []mcp.Tool) {
	limit(tools, d.toolTimeout)
	d.protocol.ChangeCatalogue(tools, func(left []mcp.Rejected) {
		before := d.leftOut
		d.leftOut = make(map[string]string, len(left))
		var newly []string
		for _, one := range left {
			reason := one.Err.Error()
			d.leftOut[one.Name] = reason
			if before[one.Name] != reason {
				d.log.Warn("a tool was left out", "tool", one.Name, "reason", one.Err)
				newly = append(newly, fmt.Sprintf("%q was left out: %s", one.Name, reason))
			}
		}
		if text := tellOf(newly); text != "" {
			d.editor.Log("warn", text)
		}
	})
}

// tellOf is what the user is told of tools that were left out, in one message, which has
// one line on the screen.
func tellOf(newly []string) string {
	switch len(newly) {
	case 0:
		return ""
	case 1:
		return "the tool " + newly[0]
	}
	return fmt.Sprintf("%d tools were left out (:checkhealth mcp-tools): %s", len(newly), strings.Join(newly, "; "))
}

// limit gives a timeout to tools that set none. Those of the IDE socket have limits that
// its client knows.
func limit(tools []mcp.Tool, timeout time.Duration) {
	for i := range tools {
		if t := &tools[i]; t.Timeout == 0 && !t.IDE {
			t.Timeout = timeout
		}
	}
}

// start listens as the editor and the command line ask. What touches the disk is done
// by a goroutine; settle gets what came of it all.
func (d *daemon) start(o nvimbridge.StartOptions) {
	if d.adjust != nil {
		d.adjust(&o)
	}
	d.folders = nil
	d.turns.Folders(o.WorkspaceFolders)
	if err := d.listen(&o); err != nil {
		d.settle(nvimbridge.Listening{}, err)
		return
	}
	listening := nvimbridge.Listening{Port: d.port, Token: o.Token}
	d.wanted = lockWish{on: o.Lock, never: d.adjust != nil && !o.Lock, options: o, at: listening, busy: true}
	d.files.Go(func() {
		unlogged := d.log.configure(o.LogLevel, o.LogFile)
		kept, listed, err := keepLocks(o, listening, d.registry, d.log.Logger)
		posted := d.loop.Post(func() {
			if unlogged != nil {
				d.log.Warn("logging as before", "error", unlogged)
				d.editor.Log("warn", unlogged.Error())
			}
			d.locked(listening, kept, listed, err)
		})
		if !posted {
			_ = errors.Join(kept.remove(), listed.remove())
		}
	})
}

// listen binds a port, with a token that is made if there is none.
func (d *daemon) listen(o *nvimbridge.StartOptions) (err error) {
	switch {
	case d.server != nil || d.leaving:
		return errRunning
	case o.Token != "":
		err = lockfile.CheckToken(o.Token)
	case o.Lock:
		o.Token, err = lockfile.NewToken()
	default:
		err = errNoToken
	}
	if err != nil {
		return err
	}
	server := session.New(d.loop, session.Config{
		Token:          o.Token,
		PingInterval:   max(o.PingInterval, 0),
		MaxClients:     max(o.MaxClients, 0),
		AllowedHosts:   o.AllowedHosts,
		HTTP:           seam.Web(d.web),
		MaxHTTP:        d.maxHTTP,
		ClientsCreated: o.ClientsCreated,
		Log:            d.log.Logger,
	})
	d.port, err = server.Listen(reactor.PortRange{Min: o.PortMin, Max: o.PortMax}, clients{d})
	if err == nil {
		d.server = server
	}
	return err
}

// locked goes on once the lock files are written, need not be, or cannot be.
func (d *daemon) locked(listening nvimbridge.Listening, kept, listed *keptLock, err error) {
	d.lock, d.listed = kept, listed
	if d.leaving {
		return
	}
	if err != nil {
		d.server.Stop(nil)
		d.server = nil
	}
	if kept != nil {
		listening.LockFile = kept.path
	}
	if d.folders != nil {
		kept.update(d.folders)
		listed.update(d.folders)
	}
	d.settle(listening, err)
	d.wanted.busy = false
	if err == nil {
		d.fitLock()
	}
}

// reason is what the plugin can act on in a failure.
func reason(err error) string {
	if _, ok := errors.AsType[*reactor.PortError](err); ok {
		return nvimbridge.ReasonPort
	}
	return ""
}

// settle tells the editor and the command line how the start ended.
func (d *daemon) settle(listening nvimbridge.Listening, err error) {
	if err != nil {
		d.log.Error("cannot start", "error", err)
		d.editor.Failed(err.Error(), reason(err))
	} else {
		d.log.Info("listening", "port", listening.Port, "lock", listening.LockFile)
		d.editor.Ready(listening)
	}
	if d.started != nil {
		d.started(listening, err)
	}
}
