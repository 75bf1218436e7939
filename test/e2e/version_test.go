// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"strings"
	"testing"

	"claudecoded/test/stage"
)

// TestVersion_HeedsNoVariableOfALibrary sets what gnet panics at before main begins.
func TestVersion_HeedsNoVariableOfALibrary(t *testing.T) {
	t.Parallel()
	p := stage.Start(t, "", append(stage.Environment(t), "GNET_LOGGING_LEVEL=loud"), stage.Binary, "version")
	if code, out := p.Wait(); code != 0 || !strings.HasPrefix(out, "claudecoded ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, p.Stderr.String())
	}
}
