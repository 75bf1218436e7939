// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"os"
	"strconv"

	"claudecoded/nvimbridge/lockfile"
)

type headersCommand struct {
	Port uint16 `placeholder:"N" help:"The port of the editor's server. Without it: the one in CLAUDE_CODE_SSE_PORT, else that of the Neovim around this terminal, else that of the one for the working folder."`
}

// Run prints the header fields that let an MCP client in, as one JSON object: what
// Claude Code's headersHelper is for.
func (c *headersCommand) Run() error {
	editor, err := c.find(os.Getenv("CLAUDE_CODE_SSE_PORT"))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"Authorization": "Bearer " + editor.Token})
}

// find is the editor whose token is meant. A variable that leads to none, as in a terminal
// of another editor, counts for nothing.
func (c *headersCommand) find(variable string) (lockfile.Found, error) {
	if port, err := strconv.ParseUint(variable, 10, 16); c.Port == 0 && err == nil && port != 0 {
		if editor, err := (editorChoice{Port: int(port)}).find(); err == nil {
			return editor, nil
		}
	}
	return editorChoice{Port: int(c.Port)}.find()
}
