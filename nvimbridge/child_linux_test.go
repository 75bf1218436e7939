// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestHeadless_AStuckChildDoesNotOutliveItsParent(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		parent := exec.Command(exe)
		parent.Env = append(nvimtest.Env(t), stuckChild+"="+binary)
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		_ = parent.Process.Kill()
		_ = parent.Wait()
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		stat := filepath.Join("/proc", strconv.Itoa(pid), "stat")
		nvimtest.Eventually(t, "the child is dead", func() bool {
			text, err := os.ReadFile(stat)
			return err != nil || strings.Contains(string(text), ") Z ")
		})
	})
}
