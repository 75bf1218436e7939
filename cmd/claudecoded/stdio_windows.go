// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import "os"

// takeStdio takes the RPC channel away from whatever prints.
func takeStdio() (in, out *os.File, err error) {
	in, out = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return in, out, nil
}
