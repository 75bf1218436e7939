// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestEncode_IsTheSameTextInEveryNeovim(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	rows := [][2]string{
		{`nil`, `null`},
		{`vim.NIL`, `null`},
		{`{ 1, vim.NIL, true, { vim.NIL } }`, `[1,null,true,[null]]`},
		{`{}`, `[]`},
		{`vim.empty_dict()`, `{}`},
		{`{ b = 1, a = { c = {} }, ["x y"] = "" }`, `{"a":{"c":[]},"b":1,"x y":""}`},
		{`9007199254740991`, `9007199254740991`},
		{`-123456789012345`, `-123456789012345`},
		{`0.1`, `0.1`},
		{`1e300`, `1e+300`},
		{`"a/b\\/c"`, `"a/b\\/c"`},
		{`("a/b\\/c"):rep(100)`, `"` + strings.Repeat(`a/b\\/c`, 100) + `"`},
		{`"` + long + `\"\\\n\t"`, `"` + long + `\"\\\n\t"`},
		{`"\0\1é\255"`, "\"\\u0000\\u0001é\xff\""},
		{`"` + long + `\0é\255"`, `"` + long + "\\u0000é\xff\""},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		for _, row := range rows {
			var got string
			e.Lua(&got, `return require("mcp-tools.json").encode(`+row[0]+`)`)
			if got != row[1] {
				t.Errorf("%s: %s, want %s", row[0], got, row[1])
			}
		}
	})
}
