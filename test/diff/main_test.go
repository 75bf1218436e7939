// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package diff tests the review of proposals in real Neovims with a user interface: a
// client asks, keys are typed, and what is left of it in the editor is nothing.
package diff

import (
	"flag"
	"testing"

	"claudecoded/test/stage"
)

// editors is how many run at once, "" as many as there are processors. Each waits most
// of its time, so the whole matrix has more.
var editors string

func TestMain(m *testing.M) {
	flag.Parse()
	if editors != "" {
		if err := flag.Set("test.parallel", editors); err != nil {
			panic(err)
		}
	}
	stage.Main(m)
}
