// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
)

func TestTranscript_ShowsWhoSaysWhat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	talk := newTranscript(&out, "Neovim", "/tmp/demo")
	talk.heading("Claude %s", "asks")
	say := func(fromServer bool, text string) {
		talk.event(claude.Event{FromServer: fromServer, Message: []byte(text)})
	}
	say(false, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"P","clientInfo":{"name":"c","version":"1"}}}`)
	say(true, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"Q","serverInfo":{"name":"s","version":"2"}}}`)
	say(false, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(false, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	say(false, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"openFile","arguments":{"filePath":"/tmp/demo/a  b"}}}`)
	say(true, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x"},{"name":"y"}]}}`)
	say(true, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Opened \\/tmp\\/demo\\/a\n"},{"type":"text","text":"z"}]}}`)
	say(true, `{"jsonrpc":"2.0","method":"selection_changed","params":{"text":""}}`)
	say(false, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"gone","arguments":{}}}`)
	say(true, `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Tool not found: gone"}}`)
	say(true, `not JSON `+strings.Repeat("é", 200))
	talk.found("it works")
	want := `
1. Claude asks
   Claude   →  initialize as c 1, protocol P
   Neovim   →  initialize: s 2, protocol Q
   Claude   →  notifications/initialized
   Claude   →  tools/list
   Claude   →  openFile {"filePath":"…/a b"}
   Neovim   →  tools/list: 2 tools: x, y
   Neovim   →  openFile: Opened …/a | z
   Neovim   →  selection_changed {"text":""}
   Claude   →  gone {}
   Neovim   →  gone: error: Tool not found: gone (-32601)
   Neovim   →  not JSON ` + strings.Repeat("é", detailWidth-len("not JSON ")-1) + `…
            ✓  it works
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
