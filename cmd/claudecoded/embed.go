// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"os"

	"claudecoded/nvimbridge"
)

// parent is who started this process, before anything can have changed that.
var parent = os.Getppid()

type embedCommand struct{}

// Run serves the Neovim at the other end of stdin and stdout until it leaves.
func (c *embedCommand) Run() error {
	stdin, stdout, err := takeStdio()
	if err != nil {
		return err
	}
	log := newLogging(os.Stderr)
	defer log.close()
	d, err := newDaemon(log)
	if err != nil {
		return err
	}
	d.registry = registry()
	bridge := nvimbridge.Embed(d.bridgeConfig(), stdin, stdout)
	d.bind(bridge, bridge)
	d.watchParent()
	bridge.Serve(host{d})
	err = d.run()
	if closed := bridge.Close(); closed != nil {
		log.Debug("closing the channel", "error", closed)
	}
	return err
}
