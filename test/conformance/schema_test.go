// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build suite

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// The suites look for this tool under the name that it was registered with, and so cannot
// tell.
func TestSchema_OfAToolIsPassedOnAsItIs(t *testing.T) {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		_, lock := stage.ServeSuite(t, nvim)
		var got any
		for _, tool := range list(t, lock) {
			if tool.Name == "nvim_json_schema_2020_12_tool" {
				got = tool.InputSchema
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

type tool struct {
	Name        string
	InputSchema any
}

// list asks for the tools without a session.
func list(t *testing.T, of claude.Lock) []tool {
	t.Helper()
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", of.Port)
	request, err := http.NewRequestWithContext(stage.Within(t), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + of.AuthToken, "Content-Type": "application/json",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Connection": "close",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var reply struct{ Result struct{ Tools []tool } }
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	return reply.Result.Tools
}
