// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command trivial listens and does nothing: what any Go program costs.
package main

import "claudecoded/bench/peers/answer"

func main() {
	listener := answer.Listen()
	for {
		conn, err := listener.Accept()
		if err != nil {
			answer.Fail(err)
		}
		_ = conn.Close()
	}
}
