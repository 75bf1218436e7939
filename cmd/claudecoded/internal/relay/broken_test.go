// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestRelay_SaysPlainlyHowACallBroke has servers that end in each part of a response.
func TestRelay_SaysPlainlyHowACallBroke(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sent, want string }{
		"before the response": {"", errHungUp.Error()},
		"in the head":         {"HTTP/1.1 200 OK\r\nDate: now\r\n", errHungUp.Error()},
		"in the body":         {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{", errHungUp.Error()},
		"in the stream": {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n: \n\r\n",
			errHungUp.Error()},
		"after an empty stream": {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n", errNoAnswer.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := serveSession(t, "tools/call", func(w http.ResponseWriter) {
				conn, _, _ := w.(http.Hijacker).Hijack()
				_, _ = io.WriteString(conn, c.sent)
				_ = conn.Close()
			})
			s := start(t, nil)
			s.at.Store(&Endpoint{Port: port, Token: "token-of-the-file"})
			s.send(hello)
			s.next()
			s.send(toolCall("1", "nvim_repeat", `{"n":1}`))
			got := s.next()
			if want := `may have had its effect: ` + c.want + `"`; !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
