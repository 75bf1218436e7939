// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// web is a client of /mcp as net/http is one.
type web struct {
	t       *testing.T
	client  *http.Client
	url     string
	token   string
	session string
}

func newWeb(t *testing.T, lock claude.Lock) *web {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &web{t: t, client: &http.Client{Transport: transport}, url: fmt.Sprintf("http://127.0.0.1:%d/mcp", lock.Port), token: lock.AuthToken}
}

// do sends a request and returns its status, and the body's data if that is a stream.
func (w *web) do(method string, body []byte) (status int, text []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(stage.Within(w.t), method, w.url, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err = io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_, data, _ := strings.Cut(string(text), "data: ")
		line, _, _ := strings.Cut(data, "\n")
		text = []byte(line)
	}
	return resp.StatusCode, text
}

// ask posts a request of JSON-RPC and reads the result.
func (w *web) ask(method, params string, result any) {
	w.t.Helper()
	status, text := w.do("POST", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	var reply struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(text, &reply); status != 200 || err != nil || reply.Error != nil {
		w.t.Fatalf("%s: %d %s, %v", method, status, text, err)
	}
	if err := json.Unmarshal(reply.Result, result); err != nil {
		w.t.Fatal(err)
	}
}

// converse initializes, lists the tools and calls one, which names the folder.
func (w *web) converse(folder string) {
	w.t.Helper()
	var hello struct{ ProtocolVersion string }
	w.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`, &hello)
	if hello.ProtocolVersion != "2025-11-25" || w.session == "" {
		w.t.Errorf("%+v, session %q", hello, w.session)
	}
	if status, text := w.do("POST", []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); status != 202 || len(text) > 0 {
		w.t.Errorf("%d %s", status, text)
	}
	var list struct{ Tools []struct{ Name string } }
	w.ask("tools/list", "{}", &list)
	if !slices.ContainsFunc(list.Tools, func(t struct{ Name string }) bool { return t.Name == "nvim_getWorkspaceFolders" }) {
		w.t.Errorf("the tools are %v", list.Tools)
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	w.ask("tools/call", `{"name":"nvim_getWorkspaceFolders","arguments":{}}`, &result)
	if len(result.Content) != 1 || result.IsError || !strings.Contains(result.Content[0].Text, folder) {
		w.t.Errorf("%+v, want %s", result, folder)
	}
	if status, _ := w.do("DELETE", nil); status != 200 {
		w.t.Errorf("DELETE: %d", status)
	}
	if status, _ := w.do("POST", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); status != 404 {
		w.t.Errorf("after DELETE: %d", status)
	}
}

func TestHTTP_ServesAnMCPClientBesideTheIDEsOne(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	home := nvimtest.Lookup(env, "HOME")
	p := stage.Serve(t, home, env, "--editor", "memory")
	p.Port()
	lock := stage.Find(t, env)
	client := stage.Connect(t, lock)
	newWeb(t, lock).converse(home)
	checkRoot(t, client, home)
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, _ := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestHTTP_ReachesARealNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		env := stage.Environment(t)
		env = append(env, "PATH="+filepath.Dir(binaryOfNvim)+":"+os.Getenv("PATH"))
		home := nvimtest.Lookup(env, "HOME")
		p := stage.Serve(t, home, env, "--editor", "headless")
		p.Port()
		newWeb(t, stage.Find(t, env)).converse(home)
		if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code, _ := p.Wait(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}
