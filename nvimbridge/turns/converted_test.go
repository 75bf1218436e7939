// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import "testing"

// Once the index knows the file as a command left it, nothing tells what line ends it had.
func TestShell_LineEndsThatNothingTellsAreNotGuessed(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.git("config", "core.autocrlf", "true")
	b.write("f", "1\n2\n")
	b.commit()
	b.shell(func() { b.write("f", "1\n2\n3\n"); b.git("add", "f") })
	b.expect("shell modified f +0 -0 unreadable")
}

func TestRestyled_TakesLineEndsOfWhatWasMadeOfIt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text, like, want string
		differs          bool
	}{
		"the same":           {"a\r\nb\r\n", "a\r\nc\r\n", "a\r\nb\r\n", false},
		"no carriage return": {"a\r\nb\r\nc\r\n", "a\nc\n", "a\nb\nc\n", true},
		"some":               {"a\r\nb\r\nc\r\n", "a\nb\r\nc\n", "a\nb\r\nc\n", true},
		"nothing left":       {"a\r\n", "b\n", "a\r\n", false},
		"no text":            {"", "a\n", "", false},
		"other bytes":        {"\xff\r\n\xfe\r\n", "\xfe\n", "\xff\n\xfe\n", true},
	} {
		if got, differs := restyled([]byte(row.text), []byte(row.like)); string(got) != row.want || differs != row.differs {
			t.Errorf("%s: %q, %v", name, got, differs)
		}
	}
}
