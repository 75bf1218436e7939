// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactortest

import (
	"testing"

	"claudecoded/reactor"
)

func TestNetpoll_Conforms(t *testing.T) {
	t.Parallel()
	Run(t, func(t *testing.T) Harness { return newReal(t, reactor.NewNetpoll, true) })
}
