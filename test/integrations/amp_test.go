// Copyright (c) 2026 the claudecoded authors. MIT license.

package integrations

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// amp stands in for Amp: it records its arguments, its environment and the configuration that it
// was given, and runs until the end of its input.
const amp = `printf '%s\n' "$@" > "$HOME/amp.args"
env > "$HOME/amp.env"
cp "$3" "$HOME/amp.config"
ls -l "$3" > "$HOME/amp.mode"
cat /proc/*/cmdline /proc/*/environ > "$HOME/amp.seen" 2> /dev/null
mv "$HOME/amp.config" "$HOME/amp.json"
exec cat
`

func TestAmp_StartsWithTheTools(t *testing.T) {
	t.Parallel()
	rows := map[string]string{
		"nothing runs":    "",
		"Claude Code ran": "vim.cmd.ClaudeCodeStart()",
		"mcp-tools ran":   "mcp.start()",
	}
	for name, before := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]string{"amp": amp})
				d.Lua(nil, `setup({ integrations = { ampcode = true } }) `+before)
				d.Command("AmpStartWithMCP")
				nvimtest.Eventually(t, "Amp runs", func() bool { return d.read("amp.json") != "" })
				args := strings.Split(strings.TrimSpace(d.read("amp.args")), "\n")
				if len(args) != 3 || args[0] != "--ide" || args[1] != "--mcp-config" {
					t.Fatalf("%q", args)
				}
				var config map[string]struct {
					URL     string
					Headers map[string]string
				}
				if err := json.Unmarshal([]byte(d.read("amp.json")), &config); err != nil {
					t.Fatal(err)
				}
				one := added{}
				one.Config.URL, one.Config.Headers = config["nvim-tools"].URL, config["nvim-tools"].Headers
				if err := one.connect(); err != nil {
					t.Errorf("%v with %+v", err, config)
				}
				if mode := d.read("amp.mode"); !strings.HasPrefix(mode, "-rw-------") {
					t.Errorf("others may read it: %s", mode)
				}
				if strings.Contains(d.read("amp.args")+d.read("amp.env")+d.read("amp.seen"), d.token()) {
					t.Error("the token can be seen")
				}
				d.expect("heard, vim.bo.buftype", fmt.Sprintf(`{ { %d }, "terminal" }`, d.port()))
				if !stage.Exists(args[2]) {
					t.Error("its configuration is gone while it runs")
				}
				d.Lua(nil, `vim.fn.chansend(vim.bo.channel, "\4")`)
				nvimtest.Eventually(t, "its configuration is gone", func() bool { return !stage.Exists(args[2]) })
				d.expect("notified", "{ {} }")
			})
		})
	}
}

func TestAmp_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]string{"amp": amp})
		d.Lua(nil, `setup({ integrations = { ampcode = true } })`)
		d.Lua(nil, `require("claudecode").state.config.daemon.cmd = "/no/such"`)
		d.Command("AmpStartWithMCP")
		d.says("daemon.cmd is not executable: /no/such")
		if err := os.Remove(filepath.Join(d.home, "bin", "amp")); err != nil {
			t.Fatal(err)
		}
		d.Command("AmpStartWithMCP")
		d.says("[mcp-tools] amp is not on PATH")
		d.expect("vim.bo.buftype", `{ "" }`)
	})
}
