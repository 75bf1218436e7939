// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command gorilla is the smallest idiomatic server on github.com/gorilla/websocket.
package main

import (
	"net/http"

	"github.com/gorilla/websocket"

	"claudecoded/bench/peers/answer"
)

var upgrader = websocket.Upgrader{Subprotocols: []string{answer.Subprotocol}}

func serve(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	conn.SetReadLimit(answer.MaxMessage)
	var reply []byte
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if reply, err = answer.Append(reply[:0], text, false); err != nil {
			_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseInvalidFramePayloadData, ""))
			return
		}
		if len(reply) > 0 && conn.WriteMessage(websocket.TextMessage, reply) != nil {
			return
		}
	}
}

func main() { answer.Fail(http.Serve(answer.Listen(), http.HandlerFunc(serve))) }
