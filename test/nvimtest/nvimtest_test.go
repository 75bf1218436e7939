// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStart_RunsTheChildInItsOwnFolders(t *testing.T) {
	Each(t, func(t *testing.T, binary string) {
		v := Start(t, Options{Nvim: binary})
		var home, config, cwd string
		for expr, dst := range map[string]*string{"$HOME": &home, "stdpath('config')": &config, "getcwd()": &cwd} {
			if err := v.Eval(expr, dst); err != nil {
				t.Fatal(err)
			}
		}
		if home == os.Getenv("HOME") || !strings.HasPrefix(config, home) || cwd != home {
			t.Errorf("HOME %q, config %q, cwd %q", home, config, cwd)
		}
		var plugin bool
		err := v.ExecLua("return vim.tbl_contains(vim.api.nvim_list_runtime_paths(), ...)", &plugin, Root(t))
		if err != nil || !plugin {
			t.Errorf("the repository is not on the runtime path: %v", err)
		}
	})
}

func TestStart_AttachesAUI(t *testing.T) {
	Each(t, func(t *testing.T, binary string) {
		v := Start(t, Options{Nvim: binary, UI: true})
		var uis []any
		if err := v.Call("nvim_list_uis", &uis); err != nil || len(uis) != 1 {
			t.Errorf("%d user interfaces, %v", len(uis), err)
		}
	})
}

func TestStart_EndsTheChildByItsID(t *testing.T) {
	Each(t, func(t *testing.T, binary string) {
		var pid int
		t.Run("child", func(t *testing.T) {
			v := Start(t, Options{Nvim: binary})
			if err := v.Eval("getpid()", &pid); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := os.Stat(filepath.Join("/proc", fmt.Sprint(pid))); err == nil {
			t.Errorf("Neovim %d still runs", pid)
		}
	})
}
