// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCall is the longest line that calls takes.
const maxCall = 1 << 20

// reply is what calls prints for each call.
type reply struct {
	Text  string `json:"text"`
	Error string `json:"error,omitempty"`
}

// calls makes the calls that come on stdin, a line of JSON each, one after the other, until
// it ends, and prints what each came to.
func (c *client) calls(kind, era string, command []string) error {
	c.ctx = context.Background() // the test that writes them has a limit of its own
	if err := c.connect(kind, era, command); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxCall)
	for lines.Scan() {
		var asked struct {
			Tool      string
			Arguments map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		text, err := json.Marshal(c.reply(asked.Tool, asked.Arguments))
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return c.session.Close()
}

func (c *client) reply(tool string, arguments map[string]any) (r reply) {
	result, err := c.call(tool, arguments)
	if err != nil {
		return reply{Error: err.Error()}
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			r.Text += text.Text
		}
	}
	if result.IsError {
		return reply{Error: r.Text}
	}
	return r
}
