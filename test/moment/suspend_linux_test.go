// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

const prompt = "ready> "

// inShell starts an editor as the job of a shell in a terminal.
func inShell(t *testing.T, nvim string) (*desk, *stage.Terminal) {
	t.Helper()
	env := append(stage.Environment(t), "PS1="+prompt)
	home := nvimtest.Lookup(env, "HOME")
	address := filepath.Join(home, "s")
	term := stage.InTerminal(t, home, env, "bash", "--norc", "--noprofile", "-i")
	term.Shows(prompt)
	term.Types(shell(append([]string{nvim}, stage.Args(t, address)...)) + "\n")
	e := stage.Attach(t, address, env)
	e.Project = home
	lock := stage.Find(t, env)
	d := &desk{e, t, lock, stage.Connect(t, lock)}
	d.eventually(`require("claudecode").state.port ~= nil`) // it learns that after the client did
	return d, term
}

// shell quotes words for a shell.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// returns types what ends or suspends the editor, and waits for the shell. Before Neovim
// 0.12 leaves a terminal it asks it for its attributes.
func returns(t *testing.T, term *stage.Terminal, keys string) {
	t.Helper()
	const question, answer = "\x1b[c", "\x1b[?1;2c"
	asked, prompts := strings.Count(term.Screen.String(), question), strings.Count(term.Screen.String(), prompt)
	term.Types(keys)
	nvimtest.Eventually(t, "the shell is back", func() bool {
		screen := term.Screen.String()
		if n := strings.Count(screen, question); n > asked {
			asked = n
			term.Types(answer)
		}
		return strings.Count(screen, prompt) > prompts
	})
}

func TestUITool_WaitsWhileNeovimIsSuspended(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d, term := inShell(t, nvim)
		returns(t, term, ":suspend\r")
		call := d.openFile("f.txt")
		d.waits(1, "openFile (suspended)")
		call.waiting()
		if name := eval[string](d, shown); name != "" {
			t.Errorf("the window shows %q", name)
		}
		term.Types("fg\n")
		call.answers("Opened file: ")
		returns(t, term, ":qa!\r")
		term.Types("exit\n")
		term.Exits(0)
	})
}
