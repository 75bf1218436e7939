// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// calls has git counted from now on, and tells how often it ran a command.
func (b *bench) calls(t *testing.T) (count func(command string) int) {
	b.Helper()
	bin := t.TempDir()
	log := filepath.Join(bin, "calls")
	b.must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho \"$*\" >> '"+log+"'\nPATH=${PATH#*:} exec git \"$@\"\n"), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func(command string) int {
		content, err := os.ReadFile(log)
		b.must(err)
		return strings.Count(string(content), command)
	}
}

func TestContents_AreReadByOneGitAsFarAsThereIsRoom(t *testing.T) {
	b := keep(t, noGit)
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf("f%02d", i)
		b.write(names[i], fmt.Sprintf("%02d%s", i, strings.Repeat("x", 998)))
	}
	b.write("large", strings.Repeat("y", MaxFile+1))
	b.git("init", "-q")
	b.commit()
	for _, name := range append(names, "large") {
		b.write(name, "changed\n")
	}
	count := b.calls(t)
	g, commit, err := head(b.Context(), b.dir)
	b.must(err)
	own, remove, err := g.apart(b.Context(), commit)
	b.must(err)
	defer remove()
	entries, err := own.differing(b.Context(), commit)
	b.must(err)
	for _, row := range []struct {
		room       int64
		read, none int
		large      Why
	}{{10_500, 10, 31, Memory}, {MaxFile, 40, 1, Memory}, {maxLook, 41, 0, Large}} {
		before := count("cat-file")
		found, err := own.contents(b.Context(), commit, entries, row.room)
		b.must(err)
		read, none := 0, 0
		for name, one := range found {
			switch {
			case one.why == Memory && one.content == nil && one.sum == (digest{}):
				none++
			case name == "large" && one.sum == sha256.Sum256(bytes.Repeat([]byte("y"), MaxFile+1)) && one.content == nil:
				read++
			case one.sum == sha256.Sum256(one.content) && len(one.content) == 1000 && cap(one.content) <= 1024:
				read++
			default:
				t.Errorf("%s: %d bytes in %d, %s", name, len(one.content), cap(one.content), one.why)
			}
		}
		if read != row.read || none != row.none || found["large"].why != row.large {
			t.Errorf("with room for %d: %d read, %d not, the large one is %q", row.room, read, none, found["large"].why)
		}
		if n := count("cat-file") - before; n != 2 {
			t.Errorf("%d processes", n)
		}
	}
}

func TestContents_OfOddNamesTakeSoManyProcesses(t *testing.T) {
	b := keep(t, noGit)
	for i := range maxOdd + 3 {
		b.write(fmt.Sprintf("%d\n", i), three)
	}
	b.git("init", "-q")
	b.commit()
	p, err := take(b.reader(maxPicture), b.dir)
	b.must(err)
	for i := range maxOdd + 3 {
		b.write(fmt.Sprintf("%d\n", i), "x\n")
	}
	count := b.calls(t)
	changes, err := p.look(b.reader(maxLook), nil)
	b.must(err)
	read := 0
	for _, c := range changes {
		if string(c.before.Bytes()) == three {
			read++
		} else if c.before.Why != Unreadable {
			t.Errorf("%+v", c.before)
		}
	}
	if n := count("--path="); n != maxOdd || read != maxOdd || len(changes) != maxOdd+3 {
		t.Errorf("%d processes, %d of %d files", n, read, len(changes))
	}
}

// newBatch asks for files of names a, b, c and so on, of one size.
func newBatch(n int, size, room int64) *batch {
	b := &batch{end: []byte("\nend missing\n"), room: room, found: map[string]blob{}}
	for i := range n {
		b.asked = append(b.asked, asked{entry{name: string(rune('a' + i))}, size})
	}
	return b
}

func TestBatch_ReadsEachObjectHoweverItComes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfN(rapid.SampledFrom([]string{
			"", "\n", "\n\n", "a", "a\n", "end missin", "\nend missin\n", "xend missing\n", "a\x00b\n", "end missing x\n", strings.Repeat("long", 100), strings.Repeat("long", 100) + "\nend",
		}), 1, 6).Draw(t, "contents")
		var out strings.Builder
		for _, content := range contents {
			fmt.Fprintf(&out, "%040d blob 5\n%s\nend missing\n", 1, content)
		}
		b := newBatch(len(contents), 5, 1<<20)
		for rest := out.String(); rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 64).Draw(t, "n"))
			if _, err := b.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if len(b.asked) != 0 || len(b.found) != len(contents) {
			t.Fatalf("%d are missing, %d found", len(b.asked), len(b.found))
		}
		for i, content := range contents {
			one := b.found[string(rune('a'+i))]
			if string(one.content) != content || one.size != int64(len(content)) || one.sum != sha256.Sum256([]byte(content)) || one.why != "" {
				t.Fatalf("%q is %+v", content, one)
			}
		}
	})
}

func TestBatch_RefusesWhatIsNotGits(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]string{
		"an end at once":  "end missing\n",
		"no first line":   strings.Repeat("x", maxFirst),
		"an end too many": "aa blob 1\nx\nend missing\nend missing\n",
		"an object more":  "aa blob 1\nx\nend missing\naa blob 1\nx\nend missing\n",
		"what is endless": "aa blob 1\n" + strings.Repeat("x", 2000),
	} {
		b := newBatch(1, 1, 1000)
		if _, err := b.Write([]byte(out)); err == nil && len(b.asked) == 0 {
			t.Errorf("%s is taken", name)
		}
	}
	b := newBatch(1, 1, 1000)
	if _, err := b.Write([]byte("aa missing\nend missing\n")); err != nil || b.found["a"].why != Unreadable {
		t.Errorf("what is not there is %+v, %v", b.found["a"], err)
	}
}

func FuzzBatch(f *testing.F) {
	f.Add("aa blob 1\nx\nend missing\n", 3)
	f.Add("aa missing\nend missing\naa tree 0\n\nend missing\n", 1)
	f.Fuzz(func(t *testing.T, out string, n int) {
		const room = 100
		n = max(1, n%64)
		b := newBatch(4, 3, room)
		var err error
		for rest := out; rest != "" && err == nil; {
			n := min(n, len(rest))
			_, err = b.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		kept := 0
		for _, one := range b.found {
			kept += len(one.content)
		}
		if kept > room+64 || len(b.asked)+len(b.found) != 4 {
			t.Errorf("%d bytes of %d files, %d are asked, %v", kept, len(b.found), len(b.asked), err)
		}
	})
}
