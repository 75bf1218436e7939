// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// over is to put a content over a file that has "a\n".
func (b *bench) over(name, content string) Put {
	return Put{Path: b.path(name), Expect: Expectation{File, hashOf("a\n")}, Kind: File, Content: []byte(content)}
}

func (b *bench) puts(files ...Put) {
	b.Helper()
	for i, err := range b.put(files...) {
		if err != nil {
			b.Errorf("%s: %v", files[i].Path, err)
		}
	}
}

func (b *bench) inode(name string) unix.Stat_t {
	b.Helper()
	var s unix.Stat_t
	b.must(unix.Lstat(b.path(name), &s))
	return s
}

func TestPut_LeavesAFileItsOtherNames(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"shorter": "", "longer": "a\nb\nc\n", "other": "b\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("f", "a\n")
			b.must(os.Chmod(b.path("f"), 0o640))
			b.must(os.Link(b.path("f"), b.path("g")))
			was := b.inode("f")
			p := b.over("f", content)
			p.Mode = 0o750
			b.puts(p, func() Put { q := p; q.Path = b.path("g"); return q }())
			for _, name := range []string{"f", "g"} {
				if now := b.inode(name); now.Ino != was.Ino || now.Nlink != 2 || now.Mode&0o777 != 0o750 || b.content(name) != content {
					t.Errorf("%s has %q, and is %+v", name, b.content(name), now)
				}
			}
			if names, _ := os.ReadDir(b.dir); len(names) != 2 {
				t.Error(names)
			}
		})
	}
}

func TestPut_KeepsOwnerAndAttributes(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "a\n")
	attributed := unix.Lsetxattr(b.path("f"), "user.test", []byte("x"), 0) == nil // not every file system has them
	if os.Getuid() == 0 {
		b.must(os.Lchown(b.path("f"), 1234, 1234))
	}
	b.must(os.Chmod(b.path("f"), 0o640))
	was := b.inode("f")
	b.puts(b.over("f", "b\n"))
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(b.path("f"), "user.test", value)
	if now := b.inode("f"); now.Uid != was.Uid || now.Gid != was.Gid || now.Mode != was.Mode || attributed && (err != nil || string(value[:n]) != "x") {
		t.Errorf("%+v became %+v; %q, %v", was, now, value, err)
	}
}

// unprivileged runs f as somebody who may only what modes let everybody.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for ever: the thread ends with the goroutine
		err := unix.Setfsuid(65534)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestPut_WritesInPlaceInAFolderThatMayOnlyBeRead(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("d/mine", "a\n")
	b.write("d/others", "a\n")
	b.write("d/gone", "a\n")
	b.must(os.Chmod(b.path("d/mine"), 0o666))
	b.must(os.Chmod(b.path("d/others"), 0o444))
	b.must(os.Chmod(b.path("d"), 0o555))
	b.must(os.Chmod(filepath.Dir(b.dir), 0o711)) // which is for its owner only
	t.Cleanup(func() { _ = os.Chmod(b.path("d"), 0o755) })
	was := b.inode("d/mine")
	remove := b.over("d/gone", "")
	remove.Kind = Absent
	created := Put{Path: b.path("d/new"), Expect: Expectation{Kind: Absent}, Kind: File, Content: []byte("x")}
	w := &writing{ctx: b.Context(), errs: each(4, ErrUnknown)}
	unprivileged(t, func() { w.run([]Put{b.over("d/mine", "b\n"), b.over("d/others", "b\n"), remove, created}) })
	for i, want := range []string{"", "writing it: permission denied", "removing it: permission denied", "writing it: permission denied"} {
		if err := w.errs[i]; want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("file %d: %v, not %q", i, err, want)
		}
	}
	if now := b.inode("d/mine"); b.content("d/mine") != "b\n" || now.Ino != was.Ino || b.content("d/others") != "a\n" || b.content("d/gone") != "a\n" {
		t.Errorf("there is %q and %q", b.content("d/mine"), b.content("d/others"))
	}
}

// fullDisk names a folder in which a child of the test writes. It is let write files of few bytes: to who
// writes that is as a full disk.
const fullDisk = "CLAUDECODED_TEST_FULL_DISK"

func TestPut_OnAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	const most = 4096
	if dir := os.Getenv(fullDisk); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			t.Fatal(err)
		}
		w := &writing{ctx: t.Context(), errs: each(3, ErrUnknown)}
		large := strings.Repeat("x", most+1)
		var files []Put
		for _, name := range []string{"f", "g", "new"} {
			files = append(files, Put{Path: dir + "/" + name, Expect: Expectation{File, hashOf("a\n")}, Kind: File, Content: []byte(large)})
		}
		files[2].Expect = Expectation{Kind: Absent}
		w.run(files)
		for i, err := range w.errs {
			if err == nil || err.Error() != "writing it: file too large" {
				t.Errorf("file %d: %v", i, err)
			}
		}
		return
	}
	b := keep(t, noGit)
	b.write("f", "a\n")
	b.write("g", "a\n")
	b.must(os.Link(b.path("g"), b.path("h")))
	before := b.contents()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPut_OnAFullDiskLosesNothing$")
	cmd.Env = append(os.Environ(), fullDisk+"="+b.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if after := b.contents(); after != before {
		t.Errorf("there is\n%s\nand was\n%s", after, before)
	}
}

// faulty is a file of which what is done fails from the at-th time on until the last.
type faulty struct {
	content  []byte
	at, last int
}

func (f *faulty) fails() bool {
	f.at--
	f.last--
	return f.at < 0 && f.last >= 0
}

func (f *faulty) WriteAt(p []byte, at int64) (int, error) {
	n := len(p)
	var err error
	if f.fails() {
		n, err = n/2, unix.ENOSPC
	}
	for len(f.content) < int(at)+n {
		f.content = append(f.content, 0)
	}
	return copy(f.content[at:], p[:n]), err
}

func (f *faulty) Truncate(size int64) error {
	if f.fails() {
		return unix.EIO
	}
	f.content = f.content[:size]
	return nil
}

func (f *faulty) Sync() error {
	if f.fails() {
		return unix.EIO
	}
	return nil
}

func TestRewrite_LeavesTheFileAsItWasWhereverItFails(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "new", "new, and longer than it was"} {
		for at := range 5 {
			f := &faulty{content: []byte("the old text"), at: at, last: at + 1}
			err := rewrite(f, []byte("the old text"), []byte(content))
			if err == nil || errors.Is(err, errDamaged) || string(f.content) != "the old text" {
				t.Errorf("%q, failing at %d: %q, %v", content, at, f.content, err)
			}
			f = &faulty{content: []byte("the old text"), at: at, last: at + 2}
			if err := rewrite(f, []byte("the old text"), []byte(content)); !errors.Is(err, errDamaged) {
				t.Errorf("%q, failing at %d twice: %v", content, at, err)
			}
		}
	}
}
