// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command nbio is the smallest idiomatic server on github.com/lesismal/nbio: a poller, no
// goroutine for each connection.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/lesismal/nbio/nbhttp/websocket"

	"claudecoded/bench/peers/answer"
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func answerText(conn *websocket.Conn, _ websocket.MessageType, text []byte) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	reply, err := answer.Append((*buffer)[:0], text, false)
	*buffer = reply
	if err != nil {
		_ = conn.Close()
	} else if len(reply) > 0 {
		_ = conn.WriteMessage(websocket.TextMessage, reply)
	}
}

func main() {
	// Its log goes to standard output, where the port is looked for.
	logging.SetLevel(logging.LevelNone)
	upgrader := websocket.NewUpgrader()
	upgrader.Subprotocols = []string{answer.Subprotocol}
	upgrader.MessageLengthLimit = answer.MaxMessage
	upgrader.OnMessage(answerText)
	engine := nbhttp.NewEngine(nbhttp.Config{
		Network:                      "tcp4",
		Addrs:                        []string{"127.0.0.1:0"},
		ReadLimit:                    2 * answer.MaxMessage,
		MaxWebsocketFramePayloadSize: answer.MaxMessage,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = upgrader.Upgrade(w, r, nil)
		}),
	})
	if err := engine.Start(); err != nil {
		answer.Fail(err)
	}
	var port int
	if _, err := fmt.Sscanf(engine.Addrs[0], "127.0.0.1:%d", &port); err != nil {
		answer.Fail(err)
	}
	answer.ReadyAt(port)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, os.Interrupt)
	<-ended
	engine.Stop()
}
