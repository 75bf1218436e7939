// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"testing"
)

// TestTurn_LooksAtSoManyWorkTrees and says if there are others.
func TestTurn_LooksAtSoManyWorkTrees(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	var want []string
	b.prompt()
	for i := range maxTrees { // and the folder, which is no repository
		if b.turn(0).Unseen {
			t.Errorf("it is said of %d work trees", i+1)
		}
		dir := fmt.Sprint("r", i)
		b.must(os.Mkdir(b.path(dir), 0o755))
		b.gitIn(b.path(dir), "init", "-q")
		b.gitIn(b.path(dir), "commit", "-q", "--allow-empty", "-m", "c")
		b.edits(dir+"/f", "x\n")
		b.write(dir+"/new", "x\n")
		want = append(want, "edit created "+dir+"/f +1 -0")
		if i < maxTrees-1 {
			want = append(want, "shell created "+dir+"/new +1 -0")
		}
	}
	b.expect(want...)
	if !b.turn(0).Unseen {
		t.Error("nothing is said of the last")
	}
}
