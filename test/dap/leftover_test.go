// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build dap && linux

package dap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
)

// running are the processes of a program, by its path.
func running(program string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range all {
		path, _ := os.Readlink(link)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && path == program {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parent is who started a process.
func parent(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	number, err := strconv.Atoi(strings.Fields(rest)[1])
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// TestDelve_LeavesNothingBehind however a session or the editor ends.
func TestDelve_LeavesNothingBehind(t *testing.T) {
	client := build(t, "../sdk/go")
	for how, end := range map[string]func(t *testing.T, e *editor, s *sdk){
		"terminate":  func(_ *testing.T, _ *editor, s *sdk) { s.want("terminate", nil, "terminated") },
		"disconnect": func(_ *testing.T, _ *editor, s *sdk) { s.want("disconnect", nil, "Disconnected") },
		"by hand":    func(_ *testing.T, e *editor, _ *sdk) { e.Lua(nil, `require("dap").terminate()`) },
		"quit": func(_ *testing.T, e *editor, s *sdk) {
			s.leave()
			e.Lua(nil, `vim.defer_fn(function() vim.cmd("qall!") end, 10)`)
		},
		"the editor dies": func(t *testing.T, e *editor, s *sdk) {
			s.leave()
			if err := syscall.Kill(eval[int](e, `vim.fn.getpid()`), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(how, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e, program := openDelve(t, nvim)
				s := connect(t, client, e.Editor)
				s.want("run", launch(program, args{"name": "waits", "args": []string{"wait"}}))
				pids := running(program)
				if len(pids) != 1 {
					t.Fatalf("%d processes", len(pids))
				}
				debugger := fmt.Sprintf("/proc/%d/exe", parent(t, pids[0]))
				end(t, e, s)
				nvimtest.Eventually(t, "the program and its debugger end", func() bool {
					_, err := os.Readlink(debugger)
					return len(running(program)) == 0 && err != nil
				})
			})
		})
	}
}
