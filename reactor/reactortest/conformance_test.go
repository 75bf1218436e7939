// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"claudecoded/reactor"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	goleak.VerifyTestMain(m)
}

func TestNetConn_Conforms(t *testing.T) {
	t.Parallel()
	Run(t, func(t *testing.T) Harness { return newReal(t, reactor.NewNetConn, false) })
}
