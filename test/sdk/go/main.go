// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command go is a client made of the Go SDK of MCP: go http|sse|stdio legacy|modern
// [COMMAND ARGUMENT...]. It does what a client does and prints what came of it, a line each,
// as client.mjs does. SDK_URL and SDK_TOKEN say where to; stdio runs COMMAND. With
// SDK_RESTART it only calls a tool before and after its stdin ends, while its server is
// started anew; with SDK_CALLS it makes the calls that come on stdin.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// limit is more than everything takes.
const limit = time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := &client{ctx: ctx, changes: make(chan struct{}, 100), steps: make(chan mcp.ProgressNotificationParams, 100)}
	run := c.run
	if os.Getenv("SDK_RESTART") != "" {
		run = c.restart
	} else if os.Getenv("SDK_CALLS") != "" {
		run = c.calls
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client is the SDK's, and what it heard.
type client struct {
	ctx     context.Context
	session *mcp.ClientSession
	changes chan struct{}
	steps   chan mcp.ProgressNotificationParams
}

func say(what string, value any) { fmt.Printf("%s: %v\n", what, value) }

func (c *client) connect(kind, era string, command []string) (err error) {
	sdk := mcp.NewClient(&mcp.Implementation{Name: "sdk-client", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changes <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.steps <- *r.Params
		},
	})
	options := &mcp.ClientSessionOptions{}
	if era == "legacy" {
		options.ProtocolVersion = "2025-11-25"
	}
	c.session, err = sdk.Connect(c.ctx, transport(kind, command), options)
	return err
}

func (c *client) restart(kind, era string, command []string) error {
	ask := func(when string) {
		text, err := content[*mcp.TextContent](c, "test_simple_text", nil)
		if err != nil {
			say(when, "failed")
			return
		}
		say(when, text.Text)
	}
	if err := c.connect(kind, era, command); err != nil {
		return err
	}
	ask("before")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	ask("after")
	_ = c.session.Close() // which may be gone
	if err := c.connect(kind, era, command); err != nil {
		return err
	}
	ask("anew")
	return c.session.Close()
}

func (c *client) run(kind, era string, command []string) error {
	if err := c.connect(kind, era, command); err != nil {
		return err
	}
	say("server", c.session.InitializeResult().ServerInfo.Name)
	say("revision", c.session.InitializeResult().ProtocolVersion)
	for _, step := range []func() error{c.list, c.results, c.failures, c.progress, c.cancel, c.changed} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := c.session.Close(); err != nil {
		return err
	}
	say("closed", true)
	return nil
}

// bearer adds the token.
type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+os.Getenv("SDK_TOKEN"))
	return http.DefaultTransport.RoundTrip(r)
}

func transport(kind string, command []string) mcp.Transport {
	url, web := os.Getenv("SDK_URL"), &http.Client{Transport: bearer{}}
	switch kind {
	case "http":
		return &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: web}
	case "sse":
		return &mcp.SSEClientTransport{Endpoint: url + "/sse", HTTPClient: web}
	}
	relay := exec.Command(command[0], command[1:]...)
	relay.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: relay}
}

func (c *client) list() error {
	list, err := c.session.ListTools(c.ctx, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, tool := range list.Tools {
		if tool.Name == "nvim_test_add" || tool.Name == "nvim_test_wait" {
			names = append(names, tool.Name)
		}
	}
	say("tools", strings.Join(names, ","))
	return nil
}

func (c *client) call(name string, arguments map[string]any) (*mcp.CallToolResult, error) {
	return c.session.CallTool(c.ctx, &mcp.CallToolParams{Name: "nvim_" + name, Arguments: arguments})
}

// content is the first content of what a tool answers.
func content[T mcp.Content](c *client, name string, arguments map[string]any) (first T, err error) {
	result, err := c.call(name, arguments)
	if err != nil {
		return first, err
	}
	first, ok := result.Content[0].(T)
	if !ok {
		return first, fmt.Errorf("%s answered with %T", name, result.Content[0])
	}
	return first, nil
}

func (c *client) results() error {
	text, err1 := content[*mcp.TextContent](c, "test_simple_text", nil)
	image, err2 := content[*mcp.ImageContent](c, "test_image_content", nil)
	audio, err3 := content[*mcp.AudioContent](c, "test_audio_content", nil)
	resource, err4 := content[*mcp.EmbeddedResource](c, "test_embedded_resource", nil)
	link, err5 := content[*mcp.ResourceLink](c, "test_link", nil)
	structured, err6 := c.call("test_structured", nil)
	sum, err7 := c.call("test_add", map[string]any{"a": 4})
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return err
	}
	say("text", text.Text)
	say("image", fmt.Sprintf("%s, %d bytes", image.MIMEType, len(image.Data)))
	say("audio", fmt.Sprintf("%s, %d bytes", audio.MIMEType, len(audio.Data)))
	say("resource", resource.Resource.URI)
	say("link", link.URI)
	var s struct {
		Big       int64
		Text      string
		List, Map json.RawMessage
	}
	if err := decode(structured, &s); err != nil {
		return err
	}
	say("structured", fmt.Sprintf("%d %s list %s map %s", s.Big, s.Text, s.List, s.Map))
	var added struct{ Sum int }
	if err := decode(sum, &added); err != nil {
		return err
	}
	say("sum", added.Sum)
	return nil
}

// decode reads a result's text, which is its structured content too.
func decode(result *mcp.CallToolResult, into any) error {
	return json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), into)
}

func (c *client) failures() error {
	say("failed", c.failure("test_error_handling", nil))
	say("bad arguments", c.failure("test_add", map[string]any{"a": "four"})[:len("result")])
	say("unknown tool", c.failure("none", nil))
	say("own code", c.failure("test_missing_capability", nil))
	return nil
}

// failure is how a call failed: in its result, or with an error of JSON-RPC.
func (c *client) failure(name string, arguments map[string]any) string {
	result, err := c.call(name, arguments)
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc):
		return fmt.Sprintf("code %d", rpc.Code)
	case err != nil:
		return err.Error()
	case !result.IsError:
		return "none"
	}
	return "result, " + result.Content[0].(*mcp.TextContent).Text
}

func (c *client) progress() error {
	params := &mcp.CallToolParams{Name: "nvim_test_tool_with_progress"}
	params.SetProgressToken("token")
	if _, err := c.session.CallTool(c.ctx, params); err != nil {
		return err
	}
	// Handlers run beside the call, and reports may be left out: only the first is certain.
	var first mcp.ProgressNotificationParams
	select {
	case first = <-c.steps:
	case <-c.ctx.Done():
		return errors.New("progress: none")
	}
	last, rises := first, first.Total == 100
	for len(c.steps) > 0 {
		next := <-c.steps
		rises = rises && next.Total == 100 && next.Progress > last.Progress
		last = next
	}
	say("progress", fmt.Sprintf("from %v, rises %v", first.Progress, rises))
	return nil
}

func (c *client) cancel() error {
	key := map[string]any{"key": fmt.Sprint("go ", os.Args[1:], os.Getpid())}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	ended := make(chan string)
	go func() {
		if _, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "nvim_test_wait", Arguments: key}); err != nil {
			ended <- "given up"
			return
		}
		ended <- "answered"
	}()
	say("waits", c.until(key, 1, 0))
	cancel()
	say("cancelled", fmt.Sprintf("%s, %v", <-ended, c.until(key, 0, 1)))
	return nil
}

// until asks the tool about the calls of test_wait until it counts as many as are wanted.
func (c *client) until(key map[string]any, waiting, cancelled int) bool {
	for range 200 {
		var now struct{ Waiting, Cancelled int }
		if result, err := c.call("test_waits", key); err != nil || decode(result, &now) != nil {
			return false
		}
		if now.Waiting == waiting && now.Cancelled == cancelled {
			return true
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
	return false
}

func (c *client) changed() error {
	for len(c.changes) > 0 {
		<-c.changes
	}
	if _, err := c.call("test_trigger_tool_change", nil); err != nil {
		return err
	}
	select {
	case <-c.changes:
		say("changed", true)
	case <-c.ctx.Done():
		say("changed", false)
	}
	return nil
}
