// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

const mib = 1 << 20

// resident is how many bytes the system keeps of a process.
func resident(t *testing.T, pid int) (n int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), new(int), &n); err != nil {
		t.Fatal(err)
	}
	return n * os.Getpagesize()
}

func TestMemory_OfLargeMessagesIsSoonGivenBack(t *testing.T) {
	port, pid := start(t)
	conn, err := claude.DialConn(t.Context(), port, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ping := func(pad int) {
		t.Helper()
		text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"%s"}}`, bytes.Repeat([]byte("x"), pad))
		if err := conn.WriteMessage(text); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
	ping(0)
	before := resident(t, pid)
	for range 2 {
		ping(32 * mib)
	}
	most := resident(t, pid)
	nvimtest.Eventually(t, "the memory is given back", func() bool { return resident(t, pid) < before+8*mib })
	t.Logf("%d MiB before, %d after two messages of 32, %d in the end", before/mib, most/mib, resident(t, pid)/mib)
}
