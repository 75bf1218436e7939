// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"claudecoded/test/nvimtest"
)

// merged is what the merge makes of three texts.
type merged struct {
	Text      string `msgpack:"text"`
	Conflicts int    `msgpack:"conflicts"`
}

// merger runs the merge in a Neovim.
func merger(t *testing.T, nvim string) func(base, ours, theirs string) merged {
	v := nvimtest.Start(t, nvimtest.Options{Nvim: nvim})
	return func(base, ours, theirs string) (m merged) {
		if err := v.ExecLua(`return require("claudecode.turns.merge").merge(...)`, &m, base, ours, theirs); err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// texts are few lines, often alike, with any ends.
func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\r\n", "\n", "\r\n", "a\r\n"})
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "")
		if rapid.Bool().Draw(t, "no final newline") {
			text = strings.TrimSuffix(text, "\n")
		}
		return text
	})
}

func TestMerge_LeavesAloneWhatOneSideDidNotChange(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		merge := merger(t, nvim)
		rapid.Check(t, func(t *rapid.T) {
			base, other := texts().Draw(t, "base"), texts().Draw(t, "other")
			for what, got := range map[string]merged{
				"nothing into a change":  merge(base, other, base),
				"a change into nothing":  merge(base, base, other),
				"a change into the same": merge(base, other, other),
			} {
				if got != (merged{other, 0}) {
					t.Errorf("%s: %q, %d conflicts, want %q", what, got.Text, got.Conflicts, other)
				}
			}
		})
	})
}

// TestMerge_AppliesBothOfSeparateChanges changes lines that no other change touches.
func TestMerge_AppliesBothOfSeparateChanges(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		merge := merger(t, nvim)
		rapid.Check(t, func(t *rapid.T) {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			var base, ours, theirs, want strings.Builder
			for i := range rapid.IntRange(0, 12).Draw(t, "parts") {
				// A line that stays keeps the changed ones apart.
				kept := fmt.Sprintf("line %d%s", i, end)
				old := fmt.Sprintf("old %d%s", i, end)
				changed := strings.Repeat(fmt.Sprintf("new %d%s", i, end), rapid.IntRange(0, 2).Draw(t, "lines"))
				side := rapid.SampledFrom([]string{"nobody", "ours", "theirs"}).Draw(t, "side")
				pick := func(of string) string {
					if side == of {
						return changed
					}
					return old
				}
				base.WriteString(kept + old)
				ours.WriteString(kept + pick("ours"))
				theirs.WriteString(kept + pick("theirs"))
				if side == "nobody" {
					changed = old
				}
				want.WriteString(kept + changed)
			}
			last := rapid.SampledFrom([]string{"", "last", "last" + end}).Draw(t, "last")
			got := merge(base.String()+"kept"+end+last, ours.String()+"kept"+end+last, theirs.String()+"kept"+end+last)
			if got != (merged{want.String() + "kept" + end + last, 0}) {
				t.Errorf("%q, %d conflicts", got.Text, got.Conflicts)
			}
		})
	})
}

// TestMerge_AgreesWithGit compares with git what has no conflict to either, and looks that what
// git cannot merge is not merged here.
func TestMerge_AgreesWithGit(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		merge, dir := merger(t, nvim), t.TempDir()
		rapid.Check(t, func(t *rapid.T) {
			base, ours, theirs := texts().Draw(t, "base"), texts().Draw(t, "ours"), texts().Draw(t, "theirs")
			got := merge(base, ours, theirs)
			text, clean := gitMerge(t, dir, base, ours, theirs)
			if got.Conflicts == 0 && clean && got.Text != text {
				t.Errorf("%q, and git has %q", got.Text, text)
			} else if got.Conflicts == 0 && !clean {
				t.Errorf("%q, and git has a conflict: %q", got.Text, text)
			}
		})
	})
}

func gitMerge(t *rapid.T, dir, base, ours, theirs string) (text string, clean bool) {
	args := []string{"merge-file", "-p"}
	for i, content := range []string{ours, base, theirs} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	var out bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err == nil
}

func TestMerge_ShowsWhatOverlapsOrTouches(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		merge := merger(t, nvim)
		for name, c := range map[string]struct{ base, ours, theirs, want string }{
			"the same line": {
				"a\nb\nc\n", "a\nmine\nc\n", "a\nyours\nc\n",
				"a\n<<<<<<< ours\nmine\n||||||| base\nb\n=======\nyours\n>>>>>>> theirs\nc\n",
			},
			"lines beside each other": {
				"a\nb\nc\nd\n", "a\nmine\nc\nd\n", "a\nb\nyours\nd\n",
				"a\n<<<<<<< ours\nmine\nc\n||||||| base\nb\nc\n=======\nb\nyours\n>>>>>>> theirs\nd\n",
			},
			"no final newline": {
				"a", "mine", "yours",
				"<<<<<<< ours\nmine\n||||||| base\na\n=======\nyours\n>>>>>>> theirs\n",
			},
			"both in an empty text": {
				"", "mine\n", "yours\n",
				"<<<<<<< ours\nmine\n||||||| base\n=======\nyours\n>>>>>>> theirs\n",
			},
			"removed and changed": {
				"a\nb\n", "a\n", "a\nyours\n",
				"a\n<<<<<<< ours\n||||||| base\nb\n=======\nyours\n>>>>>>> theirs\n",
			},
		} {
			if got := merge(c.base, c.ours, c.theirs); got != (merged{c.want, 1}) {
				t.Errorf("%s: %d conflicts\n%s", name, got.Conflicts, got.Text)
			}
		}
	})
}
