// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"testing"
	"time"
)

func TestLimits_AreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"calls outstanding in Neovim", maxOutstanding, 4},
		{"unfinished calls", maxCalls, 1024},
		{"bytes of arguments that wait", maxCallBytes, 64 << 20},
		{"bytes of the arguments of one call", maxArguments, 16 << 20},
		{"wait before Neovim is probed", probeAfter, 500 * time.Millisecond},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
