// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// AuthHeader is the request field that carries a client's token.
const AuthHeader = "x-claude-code-ide-authorization"

// Bounds of the token in AuthHeader, in bytes.
const (
	MinToken = 10
	MaxToken = 500
)

// UpgradeRules are what CheckUpgrade holds a request against.
type UpgradeRules struct {
	// Token is what AuthHeader must carry. With an empty one no token is needed.
	Token string
	// AllowedHosts are names a Host field may have besides the loopback ones.
	AllowedHosts []string
}

// Upgrade is an accepted request for the WebSocket.
type Upgrade struct {
	Key string
	// Protocol is the subprotocol to answer: "mcp" if it was offered, else the first
	// that was, else "".
	Protocol string
}

// Refusal is an HTTP error to answer a request with. It must not be changed.
type Refusal struct {
	Status int
	// Reason is the body of the answer, and what may be logged.
	Reason string
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

var errNoEndpoint = &Refusal{404, "WebSocket endpoint not found"}

// CheckUpgrade checks a request for the WebSocket: who asks, then the request line,
// then RFC 6455, 4.2.1, then the token. The first rule broken makes the Refusal.
func CheckUpgrade(h *Head, r UpgradeRules) (Upgrade, *Refusal) {
	if ref := CheckOrigin(h, r.AllowedHosts); ref != nil {
		return Upgrade{}, ref
	}
	if h.Method != "GET" || !strings.HasPrefix(h.Version, "HTTP/1.1") {
		return Upgrade{}, errNoEndpoint
	}
	reason := handshakeFault(h)
	if reason == "" && r.Token != "" {
		reason = tokenFault(h, r.Token)
	}
	if reason != "" {
		return Upgrade{}, &Refusal{400, "Bad WebSocket upgrade request: " + reason}
	}
	key, _ := h.Get("Sec-WebSocket-Key")
	return Upgrade{Key: key, Protocol: subprotocol(h)}, nil
}

func handshakeFault(h *Head) string {
	upgrade, _ := h.Get("Upgrade")
	connection, _ := h.Get("Connection")
	key, hasKey := h.Get("Sec-WebSocket-Key")
	version, _ := h.Get("Sec-WebSocket-Version")
	switch {
	case !strings.EqualFold(upgrade, "websocket"):
		return "Missing or invalid Upgrade header"
	case !strings.Contains(strings.ToLower(connection), "upgrade"):
		return "Missing or invalid Connection header"
	case !hasKey:
		return "Missing Sec-WebSocket-Key header"
	case version != "13":
		return "Missing or unsupported Sec-WebSocket-Version header"
	case len(key) != 24: // 16 bytes in base64
		return "Invalid Sec-WebSocket-Key format"
	}
	return ""
}

func tokenFault(h *Head, want string) string {
	got, ok := h.Get(AuthHeader)
	switch {
	case len(want) < MinToken || len(want) > MaxToken:
		return "Server configuration error: invalid expected authentication token"
	case !ok:
		return "Missing authentication header: " + AuthHeader
	case h.Count(AuthHeader) > 1:
		return "Duplicate authentication header: " + AuthHeader
	case len(got) < MinToken:
		return "Authentication token too short (min 10 characters)"
	case len(got) > MaxToken:
		return "Authentication token too long (max 500 characters)"
	case subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 0:
		return "Invalid authentication token"
	}
	return ""
}

// subprotocol chooses from what was offered (RFC 6455, 4.2.2). What is no token is
// not chosen, as it would be echoed into the reply's header.
func subprotocol(h *Head) string {
	first := ""
	for list := range h.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.Trim(name, blanks)
			if name == "mcp" {
				return name
			}
			if first == "" && isToken(name) {
				first = name
			}
		}
	}
	return first
}

// AcceptKey answers a Sec-WebSocket-Key (RFC 6455, 4.2.2).
func AcceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// AppendUpgradeReply appends the 101 response that accepts u.
func AppendUpgradeReply(dst []byte, u Upgrade) []byte {
	dst = appendStatus(dst, 101)
	dst = appendField(dst, "Upgrade", "websocket")
	dst = appendField(dst, "Connection", "Upgrade")
	dst = appendField(dst, "Sec-WebSocket-Accept", AcceptKey(u.Key))
	if u.Protocol != "" {
		dst = appendField(dst, "Sec-WebSocket-Protocol", u.Protocol)
	}
	return append(dst, "\r\n"...)
}
