// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestTerminal_ShowsHelpWithoutACommand(t *testing.T) {
	t.Parallel()
	term := stage.InTerminal(t, "", stage.Environment(t), stage.Binary)
	term.Shows("Usage: claudecoded")
	term.Exits(0)
	if strings.Contains(term.Screen.String(), "echo") {
		t.Error("a hidden command is shown")
	}
}

func TestTerminal_DemoOffersToOpenNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		const question = "Open Neovim on the sample project"
		term := stage.InTerminal(t, "", stage.Environment(t), stage.Binary, "demo", "--nvim-bin", binaryOfNvim)
		term.Shows(question)
		term.Types("\r")
		term.Exits(0)

		env := stage.Environment(t)
		term = stage.InTerminal(t, "", env, stage.Binary, "demo", "--nvim-bin", binaryOfNvim)
		term.Shows(question)
		term.Types("y\r")
		// Its home is the user's, so that their client finds it.
		lock := stage.Find(t, env)
		term.Shows("Expected object key") // as virtual text
		client := stage.Connect(t, lock)
		term.Types(":qa!\r")
		term.Exits(0)
		stage.ExpectShutDown(t, client)
	})
}
