// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	"bytes"
	"testing"

	"github.com/gobwas/ws"

	"claudecoded/codec"
)

// request is a small JSON-RPC request as one masked frame of a client.
func request() []byte {
	body := []byte(`{"jsonrpc":"2.0","id":12345,"method":"ping"}`)
	frame := ws.MaskFrame(ws.NewTextFrame(body))
	return ws.MustCompileFrame(frame)
}

// BenchmarkCodec measures the codec alone, without a socket: what a round trip costs
// beyond system calls and the protocol.
func BenchmarkCodec(b *testing.B) {
	frame := request()
	b.Run("read", func(b *testing.B) {
		reader := codec.NewReader(codec.MaxMessage)
		scratch := make([]byte, len(frame)) // reading unmasks in place
		b.SetBytes(int64(len(frame)))
		b.ReportAllocs()
		for b.Loop() {
			copy(scratch, frame)
			if ev, _, err := reader.Next(scratch); err != nil || ev.Kind != codec.Text {
				b.Fatal(ev.Kind, err)
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		reply := []byte(`{"jsonrpc":"2.0","id":12345,"result":{}}`)
		out := make([]byte, 0, 2*len(reply))
		b.SetBytes(int64(len(reply)))
		b.ReportAllocs()
		for b.Loop() {
			out = codec.AppendFrame(out[:0], ws.OpText, codec.ValidUTF8(reply))
		}
	})
	b.Run("upgrade", func(b *testing.B) {
		head := []byte("GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n\r\n")
		b.ReportAllocs()
		for b.Loop() {
			h, _, err := codec.ParseHead(head)
			if err != nil {
				b.Fatal(err)
			}
			upgrade, refusal := codec.CheckUpgrade(h, codec.UpgradeRules{})
			if refusal != nil || !bytes.Contains(codec.AppendUpgradeReply(nil, upgrade), []byte("101")) {
				b.Fatal(refusal)
			}
		}
	})
}
