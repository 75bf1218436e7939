// Copyright (c) 2026 the claudecoded authors. MIT license.

package echo_test

import (
	"bytes"
	"testing"

	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
	"claudecoded/session/echo"
)

func TestEcho_SendsTextAndBinaryBackInOrder(t *testing.T) {
	t.Parallel()
	loop := fake.New()
	server := session.New(loop, session.Config{RunAsParsed: true})
	if _, err := server.Listen(reactor.PortRange{}, echo.Handler{Server: server}); err != nil {
		t.Fatal(err)
	}
	p := loop.Connect()
	p.Send([]byte("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	loop.Settle()
	p.Take()
	// Unmasked frames: text, binary, text in two fragments with a ping between.
	p.Send([]byte("\x81\x01a\x82\x02\x00\xFF\x01\x01b\x89\x01p\x80\x01c\x88\x02\x03\xE8\x81\x01d"))
	loop.Settle()
	if want := []byte("\x81\x01a\x82\x02\x00\xFF\x8A\x01p\x81\x02bc\x88\x02\x03\xE8"); !bytes.Equal(p.Received(), want) {
		t.Errorf("got % X, want % X", p.Received(), want)
	}
	if !p.Closed() {
		t.Error("the socket is open")
	}
}
