// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// breaking serves one session, and batches with a stream that ends before the last answer.
func breaking(t *testing.T) int {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}`)
		case len(body) > 0 && body[0] == '[':
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"+
				"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).Port
}

func TestRelay_AnswersWhatIsLeftOfABatchWhoseResponseBroke(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.at.Store(&Endpoint{Port: breaking(t), Token: "token-of-the-file"})
	s.send(hello)
	s.next()
	s.send("[" + toolCall("1", "nvim_repeat", `{"n":1}`) + "," + toolCall("2", "nvim_repeat", `{"n":1}`) + "]")
	for _, want := range []string{`"method":"notifications/progress"`, `"id":1,"result":{}`, `[{"jsonrpc":"2.0","id":2,"error":`} {
		if got := s.next(); !strings.Contains(got, want) || strings.Contains(got, "},{") {
			t.Errorf("%s, want %s", got, want)
		}
	}
	s.silent()
}
