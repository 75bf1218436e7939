// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/test/nvimtest"
)

// keysPerSecond is how fast the benchmark's user types.
const keysPerSecond = 20

// BenchmarkTyping measures what following the selection costs Neovim while its user types
// and a client listens: nvim-ms is the processor time of one second of typing, beside the
// same without it.
func BenchmarkTyping(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		for name, tracked := range map[string]string{"tracked": "true", "untracked": "false"} {
			b.Run(name, func(b *testing.B) {
				v := nvimtest.Start(b, nvimtest.Options{Nvim: binaryOfNvim, UI: true})
				var server struct {
					Port  int    `msgpack:"port"`
					Token string `msgpack:"token"`
				}
				start := strings.Replace(served(b), "{ auto_start = false,", "{ auto_start = false, track_selection = "+tracked+",", 1)
				const answer = `
					vim.cmd("edit typing.txt | startinsert")
					local s = require("claudecode").state
					return { port = s.port, token = s.auth_token }`
				if err := v.ExecLua(start+answer, &server); err != nil {
					b.Fatal(err)
				}
				client := dial(b, server.Port, server.Token)
				if _, _, err := client.Start(b.Context()); err != nil {
					b.Fatal(err)
				}
				before := processorTime(b, v)
				for b.Loop() {
					typeForASecond(b, v)
				}
				b.ReportMetric((processorTime(b, v)-before)/float64(b.N)/1000, "nvim-ms")
				if err := client.Close(); err != nil {
					b.Error(err)
				}
			})
		}
	})
}

// typeForASecond types words into the buffer, a key at a time.
func typeForASecond(b *testing.B, v *nvim.Nvim) {
	b.Helper()
	tick := time.NewTicker(time.Second / keysPerSecond)
	defer tick.Stop()
	for i := range keysPerSecond {
		key := "x"
		if i%5 == 4 {
			key = " "
		}
		if _, err := v.Input(key); err != nil {
			b.Fatal(err)
		}
		<-tick.C
	}
}
