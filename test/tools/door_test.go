// Copyright (c) 2026 the claudecoded authors. MIT license.

package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// door is a way to call a tool: the reply is the result or the error, in JSON.
type door func(t *testing.T, tool string, arguments json.RawMessage) (result, failure json.RawMessage)

// doors are all ways to a tool of an editor.
var doors = map[string]func(e *stage.Editor) door{
	"websocket": func(e *stage.Editor) door {
		_, client := e.Serve()
		return func(t *testing.T, tool string, arguments json.RawMessage) (result, failure json.RawMessage) {
			params := map[string]any{"name": tool, "arguments": arguments}
			err := client.Request(stage.Within(t), "tools/call", params, &result)
			var failed *claude.RPCError
			if errors.As(err, &failed) {
				return nil, text(t, failed)
			}
			if err != nil {
				t.Fatal(err)
			}
			return result, nil
		}
	},
	"lua": func(e *stage.Editor) door {
		e.Lua(nil, `require("claudecode.tools").setup()`)
		return func(t *testing.T, tool string, arguments json.RawMessage) (result, failure json.RawMessage) {
			var answer string
			e.Lua(&answer, `
				local name, arguments = ...
				answer = require("claudecode.tools").handle_invoke({ id = "client_1" },
					{ name = name, arguments = vim.json.decode(arguments) })
				return answer._deferred and "" or vim.json.encode(answer)
			`, tool, string(arguments))
			if answer == "" {
				nvimtest.Eventually(t, tool+" answers", func() bool {
					e.Lua(&answer, `
						local outcome = require("mcp-tools.registry").get_result(answer.task_id)
						return outcome.done and vim.json.encode(outcome) or ""
					`)
					return answer != ""
				})
			}
			var got struct{ Result, Error json.RawMessage }
			if err := json.Unmarshal([]byte(answer), &got); err != nil {
				t.Fatal(err)
			}
			return got.Result, got.Error
		}
	},
}

func text(t *testing.T, value any) json.RawMessage {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// reply writes what a tool answered in one line: an error as JSON, JSON with its keys in
// order, any other text quoted.
func reply(t *testing.T, result, failure json.RawMessage) string {
	t.Helper()
	if failure != nil {
		return "error " + canonical(t, failure)
	}
	var got struct {
		Content []struct{ Type, Text string }
	}
	if err := json.Unmarshal(result, &got); err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, item := range got.Content {
		switch {
		case item.Type != "text":
			items = append(items, "item of type "+item.Type)
		case json.Valid([]byte(item.Text)):
			items = append(items, "json "+canonical(t, []byte(item.Text)))
		default:
			items = append(items, "text "+strconv.Quote(item.Text))
		}
	}
	return strings.Join(items, "; ")
}

func canonical(t *testing.T, data []byte) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return string(text(t, value))
}
