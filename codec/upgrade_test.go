// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	testKey   = "dGhlIHNhbXBsZSBub25jZQ==" // RFC 6455, 1.3
	testToken = "0d0ba18e-1c9a-4d3c-9f0e-8c8f4e6f2b1a"
)

// request is what the real client sends, with each edit applied: "Name: value"
// replaces the field, "Name" removes it, "+Name: value" adds one.
func request(edits ...string) string {
	lines := []string{
		"GET / HTTP/1.1",
		"Host: 127.0.0.1:43169",
		"Connection: Upgrade",
		"Upgrade: websocket",
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
		"Sec-WebSocket-Key: " + testKey,
		"Sec-WebSocket-Protocol: mcp",
		"User-Agent: claude-code/2.1.332 (cli)",
		"X-Claude-Code-Ide-Authorization: " + testToken,
	}
	for _, edit := range edits {
		if added, ok := strings.CutPrefix(edit, "+"); ok {
			lines = append(lines, added)
			continue
		}
		name, _, replace := strings.Cut(edit, ":")
		for i, line := range lines {
			if n, _, _ := strings.Cut(line, ":"); !strings.EqualFold(n, name) {
				continue
			}
			if lines[i] = edit; !replace {
				lines = append(lines[:i], lines[i+1:]...)
			}
			break
		}
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

const bad = "Bad WebSocket upgrade request: "

// upgrades is the table of refused and accepted requests; want is "" for the latter.
var upgrades = []struct {
	name   string
	edits  []string
	status int
	want   string
}{
	{"the real client", nil, 0, ""},
	{"field names and values in any case", []string{"upgrade: WebSocket", "connection: keep-alive, UPGRADE"}, 0, ""},
	{"no Host", []string{"Host"}, 0, ""},
	{"last duplicate wins", []string{"Upgrade: h2c", "+Upgrade: websocket"}, 0, ""},

	{"no Upgrade", []string{"Upgrade"}, 400, bad + "Missing or invalid Upgrade header"},
	{"another Upgrade", []string{"Upgrade: h2c"}, 400, bad + "Missing or invalid Upgrade header"},
	{"a blank behind Upgrade", []string{"Upgrade: websocket "}, 400, bad + "Missing or invalid Upgrade header"},
	{"no Connection", []string{"Connection"}, 400, bad + "Missing or invalid Connection header"},
	{"another Connection", []string{"Connection: keep-alive"}, 400, bad + "Missing or invalid Connection header"},
	{"no key", []string{"Sec-WebSocket-Key"}, 400, bad + "Missing Sec-WebSocket-Key header"},
	{"an empty key", []string{"Sec-WebSocket-Key:"}, 400, bad + "Missing Sec-WebSocket-Key header"},
	{"no version", []string{"Sec-WebSocket-Version"}, 400, bad + "Missing or unsupported Sec-WebSocket-Version header"},
	{"another version", []string{"Sec-WebSocket-Version: 8"}, 400, bad + "Missing or unsupported Sec-WebSocket-Version header"},
	{"a short key", []string{"Sec-WebSocket-Key: x"}, 400, bad + "Invalid Sec-WebSocket-Key format"},
	{"a key of 25", []string{"Sec-WebSocket-Key: " + testKey + "="}, 400, bad + "Invalid Sec-WebSocket-Key format"},
	{"the version is judged before the key's format", []string{"Sec-WebSocket-Key: x", "Sec-WebSocket-Version"}, 400, bad + "Missing or unsupported Sec-WebSocket-Version header"},

	{"no token", []string{AuthHeader}, 400, bad + "Missing authentication header: x-claude-code-ide-authorization"},
	{"nothing for a token", []string{AuthHeader + ":"}, 400, bad + "Missing authentication header: x-claude-code-ide-authorization"},
	{"a blank for a token", []string{AuthHeader + ": "}, 400, bad + "Authentication token too short (min 10 characters)"},
	{"a token of 9", []string{AuthHeader + ": 123456789"}, 400, bad + "Authentication token too short (min 10 characters)"},
	{"a token of 10", []string{AuthHeader + ": 1234567890"}, 400, bad + "Invalid authentication token"},
	{"a token of 500", []string{AuthHeader + ": " + strings.Repeat("x", 500)}, 400, bad + "Invalid authentication token"},
	{"a token of 501", []string{AuthHeader + ": " + strings.Repeat("x", 501)}, 400, bad + "Authentication token too long (max 500 characters)"},
	{"a blank behind the token", []string{AuthHeader + ": " + testToken + " "}, 400, bad + "Invalid authentication token"},
	{"a token in other case", []string{AuthHeader + ": " + strings.ToUpper(testToken)}, 400, bad + "Invalid authentication token"},
	{"two tokens, the last right", []string{AuthHeader + ": wrong-token-here", "+" + AuthHeader + ": " + testToken}, 400, bad + "Duplicate authentication header: x-claude-code-ide-authorization"},
	{"the right token twice", []string{"+" + AuthHeader + ": " + testToken}, 400, bad + "Duplicate authentication header: x-claude-code-ide-authorization"},

	{"a loopback origin", []string{"+Origin: http://localhost:3000"}, 0, ""},
	{"a loopback address as origin", []string{"+Origin: HTTPS://127.0.0.1"}, 0, ""},
	{"the IPv6 loopback as origin", []string{"+Origin: http://[::1]:80"}, 0, ""},
	{"a foreign origin", []string{"+Origin: https://evil.example"}, 403, errOrigin.Reason},
	{"a null origin", []string{"+Origin: null"}, 403, errOrigin.Reason},
	{"a blank origin", []string{"+Origin: "}, 403, errOrigin.Reason},
	{"an origin that begins loopback", []string{"+Origin: http://localhost.evil.example"}, 403, errOrigin.Reason},
	{"an origin with a user", []string{"+Origin: http://localhost:80@evil.example"}, 403, errOrigin.Reason},
	{"an origin of another scheme", []string{"+Origin: file://localhost"}, 403, errOrigin.Reason},
	{"a foreign origin before a loopback one", []string{"+Origin: http://evil.example", "+Origin: http://localhost"}, 403, errOrigin.Reason},
	{"an origin of an allowed host", []string{"+Origin: http://host.docker.internal"}, 403, errOrigin.Reason},

	{"localhost", []string{"Host: LOCALHOST:1"}, 0, ""},
	{"the IPv6 loopback", []string{"Host: [::1]"}, 0, ""},
	{"the IPv6 loopback with a port", []string{"Host: [::1]:65535"}, 0, ""},
	{"an allowed host", []string{"Host: Host.Docker.Internal:43169"}, 0, ""},
	{"an allowed host with its port", []string{"Host: proxy.example:8080"}, 0, ""},
	{"an allowed host with another port", []string{"Host: proxy.example:8081"}, 403, errHost.Reason},
	{"a foreign host", []string{"Host: evil.example"}, 403, errHost.Reason},
	{"a foreign host before a loopback one", []string{"Host: evil.example", "+Host: localhost"}, 403, errHost.Reason},
	{"another loopback address", []string{"Host: 127.0.0.2"}, 403, errHost.Reason},
	{"no port behind the colon of a bracket", []string{"Host: [::1]:x"}, 403, errHost.Reason},
	{"a port too long", []string{"Host: localhost:123456"}, 403, errHost.Reason},
	{"a host that only a port follows", []string{"Host: :80"}, 403, errHost.Reason},
}

func TestCheckUpgrade_AnswersTheTable(t *testing.T) {
	t.Parallel()
	rules := UpgradeRules{Token: testToken, AllowedHosts: []string{"host.docker.internal", "proxy.example:8080", ""}}
	for _, c := range upgrades {
		up, ref := CheckUpgrade(parseHead(t, request(c.edits...)), rules)
		switch {
		case c.want == "" && ref != nil:
			t.Errorf("%s: refused: %v", c.name, ref)
		case c.want == "" && (up != Upgrade{testKey, "mcp"}):
			t.Errorf("%s: %+v", c.name, up)
		case c.want != "" && ref == nil:
			t.Errorf("%s: accepted", c.name)
		case c.want != "" && (up != Upgrade{} || *ref != Refusal{c.status, c.want}):
			t.Errorf("%s: %+v, want %d %s", c.name, *ref, c.status, c.want)
		}
	}
}

func TestCheckUpgrade_RequestLine(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(request(), "\r\n")
	for line, want := range map[string]int{
		"GET / HTTP/1.1":         0,
		"GET /any/path HTTP/1.1": 0,
		"GET / HTTP/1.10":        0, // it begins HTTP/1.1
		"POST / HTTP/1.1":        404,
		"get / HTTP/1.1":         404,
		"GET / HTTP/1.0":         404,
		"GET / HTTP/2":           404,
		"GET /":                  404,
		"\x16\x03\x01":           404,
	} {
		_, ref := CheckUpgrade(parseHead(t, line+"\r\n"+rest), UpgradeRules{})
		if got := ref; (got == nil) != (want == 0) || got != nil && *got != (Refusal{404, "WebSocket endpoint not found"}) {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestCheckUpgrade_JudgesOriginAndHostFirst(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"Host: evil.example", "Origin: http://evil.example"} {
		h := parseHead(t, "nonsense\r\n"+field+"\r\n\r\n")
		if _, ref := CheckUpgrade(h, UpgradeRules{Token: testToken}); ref == nil || ref.Status != 403 {
			t.Errorf("%s with a bad request line: %v", field, ref)
		}
	}
	if !strings.Contains(errHost.Reason, "--allowed-host") {
		t.Errorf("%q does not name the option", errHost.Reason)
	}
}

func TestCheckUpgrade_TokenOfTheServer(t *testing.T) {
	t.Parallel()
	h := parseHead(t, request(AuthHeader))
	if _, ref := CheckUpgrade(h, UpgradeRules{}); ref != nil {
		t.Errorf("without a token: %v", ref)
	}
	for n, want := range map[int]string{
		9:   bad + "Server configuration error: invalid expected authentication token",
		10:  "",
		500: "",
		501: bad + "Server configuration error: invalid expected authentication token",
	} {
		token := strings.Repeat("x", n)
		_, ref := CheckUpgrade(parseHead(t, request(AuthHeader+": "+token)), UpgradeRules{Token: token})
		if (ref != nil) != (want != "") || ref != nil && ref.Reason != want {
			t.Errorf("with a token of %d: %v, want %q", n, ref, want)
		}
	}
}

func TestCheckUpgrade_ChoosesTheSubprotocol(t *testing.T) {
	t.Parallel()
	for offered, want := range map[string]string{
		"mcp":               "mcp",
		"foo, mcp":          "mcp",
		"foo,bar":           "foo",
		"MCP":               "MCP",
		" , \tfoo ,bar":     "foo",
		"bad token, good":   "good",
		"evil\x0b: x, \x7f": "",
	} {
		up, ref := CheckUpgrade(parseHead(t, request("Sec-WebSocket-Protocol: "+offered)), UpgradeRules{})
		if ref != nil || up.Protocol != want {
			t.Errorf("offered %q: %q, %v", offered, up.Protocol, ref)
		}
	}
	for want, edits := range map[string][]string{
		"":    {"Sec-WebSocket-Protocol"},
		"mcp": {"Sec-WebSocket-Protocol: foo", "+sec-websocket-protocol: mcp"},
	} {
		if up, ref := CheckUpgrade(parseHead(t, request(edits...)), UpgradeRules{}); ref != nil || up.Protocol != want {
			t.Errorf("%q: %q, %v", edits, up.Protocol, ref)
		}
	}
}

func TestAppendUpgradeReply_IsTheExampleOfTheRFC(t *testing.T) {
	t.Parallel()
	want := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
	for protocol, end := range map[string]string{"": "\r\n", "mcp": "Sec-WebSocket-Protocol: mcp\r\n\r\n"} {
		got := string(AppendUpgradeReply([]byte("dst"), Upgrade{testKey, protocol}))
		if diff := cmp.Diff("dst"+want+end, got); diff != "" {
			t.Error(diff)
		}
	}
}
