// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// configFile has one file for each client and form, as it is printed.
const configFile = "config.txtar"

func TestConfig_IsWhatEachClientReads(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", configFile)
	archive, err := txtar.ParseFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := map[string]string{}
	if archive != nil {
		for _, file := range archive.Files {
			want[file.Name] = string(file.Data)
		}
	}
	got := &txtar.Archive{Comment: []byte("What config prints for /opt/my tools/claudecoded and port 4711.\n\n")}
	for _, client := range []string{"claude", "opencode", "cursor", "vscode", "codex", "zed"} {
		for _, form := range []string{"stdio", "http"} {
			name := client + " " + form
			var out, notes strings.Builder
			c := configCommand{Client: client, HTTP: form == "http", Port: 4711}
			if err := c.write(&out, &notes, "/opt/my tools/claudecoded"); err != nil {
				out.WriteString("error: " + err.Error() + "\n")
			} else if !strings.HasPrefix(notes.String(), "Put it into ") {
				t.Errorf("%s: %q", name, notes.String())
			}
			if text := out.String(); client != "codex" && !strings.HasPrefix(text, "error: ") && !json.Valid([]byte(text)) {
				t.Errorf("%s: no JSON: %s", name, text)
			}
			if diff := cmp.Diff(want[name], out.String()); diff != "" && !*update {
				t.Errorf("%s: %s", name, diff)
			}
			got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(out.String())})
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConfig_NeedsAPortForAURL(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("NVIM", "")
	c, err := parse(t, "config", "cursor", "--http")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Config.Run(); err == nil || !strings.Contains(err.Error(), "--port") {
		t.Errorf("%v", err)
	}
	for _, args := range [][]string{{"config"}, {"config", "emacs"}, {"stdio", "--port", "1", "--pid", "2"}, {"stdio", "--headless", "--cwd", "x"}} {
		if _, err := parse(t, args...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

// A port in the stdio form would have no effect.
func TestConfig_RefusesAPortWithoutAURL(t *testing.T) {
	t.Parallel()
	_, err := parse(t, "config", "claude", "--port", "4711")
	if err == nil || !strings.Contains(err.Error(), "give --http too") {
		t.Errorf("%v", err)
	}
	c, err := parse(t, "config", "claude", "--port", "4711", "--http")
	if err != nil || c.Config.Port != 4711 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestShellWord_IsOneWord(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/usr/bin/claudecoded":  "/usr/bin/claudecoded",
		"/my tools/claudecoded": "'/my tools/claudecoded'",
		"/it's/claudecoded":     `'/it'\''s/claudecoded'`,
		"/$HOME/claudecoded":    "'/$HOME/claudecoded'",
	} {
		if got := shellWord(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
