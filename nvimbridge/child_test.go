// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// startStuck starts a Neovim, prints its process id once it runs busy Lua, and
// waits to be killed.
func startStuck(binary string) int {
	posted := make(chan func(), 16)
	b, err := Headless(Config{Post: func(f func()) bool { posted <- f; return true }},
		Command{Path: binary, Args: []string{"--clean", "-n"}})
	if err != nil {
		return 1
	}
	b.Serve(nil)
	mark := filepath.Join(os.Getenv("HOME"), "mark")
	const code = "io.open(..., 'w'):close() while true do end"
	b.send(item{method: "nvim_exec_lua", args: []any{code, array{mark}}})
	for _, err := os.Stat(mark); err != nil; _, err = os.Stat(mark) {
		<-time.After(time.Millisecond)
	}
	fmt.Println(b.child.process.Pid)
	for f := range posted {
		f()
	}
	return 0
}
