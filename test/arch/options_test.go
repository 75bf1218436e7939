// Copyright (c) 2026 the claudecoded authors. MIT license.

package arch_test

import (
	"regexp"
	"strings"
	"testing"
)

// optionTables are the files that list the plugin's options.
const optionTables = "lua/claudecode/options/"

// observed names, for each documented option, a test that gives it another value than its
// default and sees that something is different. One that cannot be observed has no reason to exist.
var observed = map[string]string{
	"port_range":                   "TestRange_OfTwoPortsServesTwoEditorsAndTellsTheThird",
	"auto_start":                   "TestAutoStart_WaitsForAUserInterface",
	"terminal_cmd":                 "TestOpen_SaysThatTheProgramIsMissing",
	"permission_mode":              "TestCommandLine_HasThePermissionModeUnlessOneIsGiven",
	"env":                          "TestEnvironment_LeadsToThisEditor",
	"log_level":                    "TestLog_FormatsLines",
	"track_selection":              "TestTold_NothingWithoutTracking",
	"selection_filter":             "TestFilter_HoldsForEveryWayOut",
	"visual_demotion_delay_ms":     "TestDemotion_ReplacesASelectionThatWasLeftUnnoticed",
	"focus_after_send":             "TestMention_OpensClaudeWhereNoneIsConnected",
	"connection_wait_delay":        "TestMention_IsNotSentBeforeTheClientCanTakeIt",
	"connection_timeout":           "TestMention_IsGivenUpWithAMessage",
	"queue_timeout":                "TestMention_ThatIsTooOldIsDroppedWithAMessage",
	"disable_broadcast_debouncing": "TestMention_LeavesAtOnceWithoutDebouncing",
	"models":                       "TestModel_IsChosenAndPassed",

	"diff_opts.enabled":                  "TestDiff_IsNotOfferedIfTheUserDoesNotWantIt",
	"diff_opts.layout":                   "TestUnified_IsAnUnlistedBufferThatNobodyEdits",
	"diff_opts.open_in_new_tab":          "TestEvents_NameTheTabPageAndTheTerminal",
	"diff_opts.focus":                    "TestFocus_GoesIntoTheDiffIfTheUserWantsIt",
	"diff_opts.keep_terminal_focus":      "TestFocus_StaysInTheTerminalIfItIsKeptThere",
	"diff_opts.hide_terminal_in_new_tab": "TestTerminal_CanBeLeftOutOfTheNewTabPage",
	"diff_opts.on_new_file_reject":       "TestPlace_ForANewFileIsAnEmptyWindow",
	"diff_opts.on_modified":              "TestModifiedBuffer_FollowsTheOption",
	"diff_opts.auto_resize_terminal":     "TestTerminal_KeepsItsWidthIfTheUserWantsIt",
	"diff_opts.keymaps":                  "TestKeymaps_CanBeLeftOut",

	"terminal.split_side":                          "TestOpen_NeverHides",
	"terminal.split_width_percentage":              "TestTerminal_HasItsShareOfTheEditor",
	"terminal.diff_split_width_percentage":         "TestTerminal_HasItsShareOfTheScreen",
	"terminal.provider":                            "TestNone_DoesNothing",
	"terminal.provider_opts.external_terminal_cmd": "TestExternal_RunsTheUsersProgram",
	"terminal.show_native_term_exit_tip":           "TestTip_IsGivenOnceUnlessUnwanted",
	"terminal.auto_close":                          "TestExit_LeavesItsLastWordsWithoutAutoClose",
	"terminal.auto_insert":                         "TestOpen_NeverHides",
	"terminal.snacks_win_opts":                     "TestSnacks_KeepsAFloatThatItHides",
	"terminal.fix_streamed_paste":                  "TestPaste_IsFixedWhereNeovimNeedsIt",
	"terminal.cwd":                                 "TestCwd_IsTheFirstThatIsGiven",
	"terminal.git_repo_cwd":                        "TestCwd_IsTheFirstThatIsGiven",
	"terminal.cwd_provider":                        "TestCwd_IsTheFirstThatIsGiven",

	"daemon.cmd":              "TestHealth_TellsEachPart",
	"daemon.log_file":         "TestLog_OpensTheDaemonsFile",
	"daemon.ping_interval_ms": "TestDaemon_HeedsItsOptions",
	"daemon.max_clients":      "TestDaemon_HeedsItsOptions",
	"daemon.allowed_hosts":    "TestDaemon_HeedsItsOptions",
}

var (
	optionEntry = regexp.MustCompile(`(?s)\n  \{\n(.*?)\n  \},`)
	optionPath  = regexp.MustCompile(`(?m)^    path = "([^"]+)",$`)
)

// documentedOptions reads the tables as text: no Neovim is needed to compare names.
func documentedOptions(t *testing.T) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	for _, name := range sources(t, ".lua") {
		if !strings.HasPrefix(name, optionTables) {
			continue
		}
		for _, entry := range optionEntry.FindAllStringSubmatch(read(t, name), -1) {
			if path := optionPath.FindStringSubmatch(entry[1]); path != nil && strings.Contains(entry[1], "\n    doc = ") {
				paths[path[1]] = true
			}
		}
	}
	return paths
}

// TestOptions_AreEachObservedByATest compares the options that are documented with the rows
// above, whose tests must exist, in a file that names the option.
func TestOptions_AreEachObservedByATest(t *testing.T) {
	t.Parallel()
	options := documentedOptions(t)
	for path := range options {
		if observed[path] == "" {
			t.Errorf("no test is known to observe the option %s", path)
		}
	}
	files := testFiles(t)
	for path, name := range observed {
		if !options[path] {
			t.Errorf("the option %s, which %s observes, is not documented", path, name)
		}
		key := regexp.MustCompile(`\b` + path[strings.LastIndex(path, ".")+1:] + `\b`)
		switch file, ok := files[name]; {
		case !ok:
			t.Errorf("%s: no test is called %s", path, name)
		case !key.MatchString(read(t, file)):
			t.Errorf("%s: %s, where %s is, does not name it", path, file, name)
		}
	}
}
