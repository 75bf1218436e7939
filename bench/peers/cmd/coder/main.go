// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command coder is the smallest idiomatic server on github.com/coder/websocket.
package main

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"claudecoded/bench/peers/answer"
)

func serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{answer.Subprotocol}})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(answer.MaxMessage)
	var reply []byte
	for {
		_, text, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		if reply, err = answer.Append(reply[:0], text, false); err != nil {
			_ = conn.Close(websocket.StatusInvalidFramePayloadData, "")
			return
		}
		if len(reply) > 0 && conn.Write(context.Background(), websocket.MessageText, reply) != nil {
			return
		}
	}
}

func main() { answer.Fail(http.Serve(answer.Listen(), http.HandlerFunc(serve))) }
