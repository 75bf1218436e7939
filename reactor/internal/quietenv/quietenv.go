// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package quietenv hides from gnet the environment variables of its logging. That
// package reads them while it is initialised: a level that is not a number panics
// before main, and a file is made the log, which this program's own replaces anyway.
//
// Packages are initialised in the order of their import paths as soon as what they
// import is (Go specification, Program initialization). So this one imports only os,
// which gnet's logging needs as well, and has a path that sorts before gnet's.
package quietenv

import "os"

func init() {
	for _, name := range []string{"GNET_LOGGING_LEVEL", "GNET_LOGGING_FILE"} {
		_ = os.Unsetenv(name)
	}
}
