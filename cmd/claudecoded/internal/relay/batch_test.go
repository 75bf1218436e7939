// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// breaking begins a stream that ends before the last answer.
func breaking(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"+
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
}

func TestRelay_AnswersWhatIsLeftOfABatchWhoseResponseBroke(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.at.Store(&Endpoint{Port: serveSession(t, "tools/call", breaking), Token: "token-of-the-file"})
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
