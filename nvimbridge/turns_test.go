// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/msgpack"

	"claudecoded/nvimbridge/turns"
	"claudecoded/test/nvimtest"
)

// edited is a client's turn in which it changed a file, whose path is returned: neither
// that nor the content is text.
func edited(t *testing.T, h *fakeHost, e *editor) (path string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(nvimtest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "caf\xe9")
	write(t, path, "a\xff\n")
	tell(t, e, "review", object{"git": false, "secret": array{"secret*"}})
	tell(t, e, "turns", object{"id": 1})
	if got := fmt.Sprint(e.told(t)); got != "[turns 1 []]" {
		t.Fatal(got)
	}
	step := func(f func(done func())) {
		t.Helper()
		done := make(chan struct{})
		h.loop.do(func() { f(func() { close(done) }) })
		<-done
	}
	h.loop.do(func() { h.turns.Began(3, "Claude") })
	step(func(done func()) { h.turns.Announced(3, "Claude", "file://"+path, done) })
	write(t, path, "b\xff\n")
	step(func(done func()) { h.turns.Sampled(3, done) })
	e.pushed(t, "turns_changed map[files:1 revisions:[map[revision:2 turn:1]] turn:1]")
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestTurns_AreToldAndTakenBackByteForByte(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	path := edited(t, h, e)
	tell(t, e, "turns", object{"id": 5})
	got := e.told(t)
	list := got[2].([]any)[0].(object)
	if began := list["began_unix_ms"]; fmt.Sprint(got[:2]) != "[turns 5]" || began == nil {
		t.Fatal(got)
	}
	delete(list, "began_unix_ms")
	if s := fmt.Sprint(list); s != "map[added:1 client:3 files:1 name:Claude open:true removed:1 turn:1]" {
		t.Error(s)
	}

	tell(t, e, "turn", object{"id": 6, "turn": 1})
	turn := e.told(t)[2].(object)
	file := turn["files"].([]any)[0].(object)
	before, after := file["before"].(object), file["after"].(object)
	if before["kind"] != "file" || fmt.Sprint(before["size"], before["mode"]) != "3 416" || len(before["hash"].(string)) != 64 || before["bytes"] != nil {
		t.Error(before)
	}
	delete(file, "before")
	delete(file, "after")
	if s := fmt.Sprintf("%q", file); s != fmt.Sprintf("%q", object{"path": path, "change": "modified", "source": "edit", "added": int64(1),
		"removed": int64(1), "binary": false, "kept": true}) {
		t.Error(s)
	}
	if turn["more"] != false || turn["open"] != true {
		t.Error(turn)
	}

	tell(t, e, "turn_file", object{"id": 7, "turn": 1, "path": path})
	versions := e.told(t)[2].(object)
	for key, want := range map[string]string{"before": "a\xff\n", "after": "b\xff\n", "now": "b\xff\n"} {
		if got := fmt.Sprintf("%s", versions[key].(object)["bytes"]); got != want {
			t.Errorf("%s is %q", key, got)
		}
	}

	state := object{"kind": "file", "bytes": []byte("a\xff\n"), "mode": 0o600}
	put := func(hash any) string {
		tell(t, e, "put", object{"id": 8, "files": array{object{"path": path, "expect": object{"kind": "file", "hash": hash}, "state": state}}})
		return fmt.Sprintf("%q", e.told(t)[2].([]any)[0])
	}
	if got, want := put("x"), fmt.Sprintf("%q", object{"path": path, "error": turns.ErrChanged.Error()}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := put(after["hash"]), fmt.Sprintf("%q", object{"path": path}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	content, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	if err != nil || string(content) != "a\xff\n" || info.Mode() != 0o600 {
		t.Errorf("%q, %v, %v", content, info.Mode(), err)
	}
	tell(t, e, "turn_forget", object{"paths": array{path, 5}})
	tell(t, e, "turn_file", object{"id": 9, "turn": 1, "path": path})
	for key, v := range e.told(t)[2].(object) {
		if s, ok := v.(object); ok && (s["bytes"] != nil || s["hash"] != nil) {
			t.Errorf("%s is still known: %v", key, s)
		}
	}
}

// told is the next push but turns_changed.
func (e *editor) told(t *testing.T) []any {
	t.Helper()
	for {
		select {
		case args := <-e.push:
			if args[0] != "turns_changed" {
				return args
			}
		case <-time.After(nvimtest.Patience):
			t.Fatal("no answer")
		}
	}
}

func TestTurns_OfWhichNothingIsKnownAreAnsweredAllTheSame(t *testing.T) {
	t.Parallel()
	_, e := scripted(t)
	for _, ask := range []struct {
		method  string
		message object
		want    string
	}{
		{"turns", object{"id": 1}, "[turns 1 []]"},
		{"turn", object{"id": 2, "turn": 9}, "[turn 2 map[error:" + turns.ErrNoTurn.Error() + "]]"},
		{"turn_file", object{"id": 3, "turn": 9, "path": "/x"}, "[turn_file 3 map[error:" + turns.ErrNoTurn.Error() + "]]"},
		{"turn_file", object{"id": 4, "turn": 9}, "[turn_file 4 map[error:path is missing]]"},
		{"turn_file", object{"id": 5, "turn": "x", "path": "/x"}, "[turn_file 5 map[error:turn has the wrong type]]"},
		{"put", object{"id": 6.0}, "[put 6 map[error:files is missing]]"},
		{"put", object{"id": 7, "files": array{}}, "[put 7 []]"},
	} {
		tell(t, e, ask.method, ask.message)
		if got := fmt.Sprint(e.told(t)); got != ask.want {
			t.Errorf("%s, want %s", got, ask.want)
		}
	}
}

func TestPut_RefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	_, e := scripted(t)
	tell(t, e, "review", object{})
	path := filepath.Join(nvimtest.Dir(t), "f")
	absent := object{"kind": "absent"}
	for _, row := range []struct {
		file any
		want string
	}{
		{object{"path": path, "expect": absent, "state": object{"kind": "file"}}, turns.ErrNoState.Error()},
		{object{"path": path, "expect": absent, "state": object{"kind": "symlink"}}, turns.ErrNoState.Error()},
		{object{"path": path, "expect": absent, "state": object{"kind": "other", "bytes": ""}}, turns.ErrNoState.Error()},
		{object{"path": path, "state": object{"kind": "file", "bytes": ""}}, turns.ErrChanged.Error()},
		{object{"path": path, "expect": absent}, turns.ErrNoState.Error()},
		{object{"expect": absent, "state": absent}, turns.ErrPath.Error()},
		{"secret", turns.ErrPath.Error()},
	} {
		tell(t, e, "put", object{"id": 1, "files": array{row.file}})
		if got := e.told(t)[2].([]any)[0].(object)["error"]; got != row.want {
			t.Errorf("%v: %v, want %s", row.file, got, row.want)
		}
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Error("something was written", err)
	}
}

func TestReview_ThatCannotBeReadKeepsNothing(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]any{"a text": "x", "odd patterns": object{"secret": 5}, "odd": object{"git": "yes"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, e := scripted(t)
			tell(t, e, "review", message)
			path := filepath.Join(nvimtest.Dir(t), "f")
			write(t, path, "a")
			tell(t, e, "turn_saved", object{"path": path}) // and waits until both were read
			tell(t, e, "turn", object{"id": 1, "turn": 1})
			e.told(t)
			done := make(chan struct{})
			h.loop.do(func() { h.turns.Announced(1, "", path, func() { close(done) }) })
			<-done
			write(t, path, "b")
			tell(t, e, "turn_file", object{"id": 1, "turn": 1, "path": path})
			e.told(t)
			tell(t, e, "turn", object{"id": 2, "turn": 1})
			file := e.told(t)[2].(object)["files"].([]any)[0].(object)
			if file["kept"] != false || file["why"] != "secret" {
				t.Error(file)
			}
		})
	}
}

func TestAttached_TakesWhatIsKeptOfFiles(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, _ := neovim(t, nvimtest.Options{Nvim: binary})
		path := filepath.Join(nvimtest.Dir(t), "a.key")
		done := make(chan struct{})
		h.loop.do(func() {
			h.turns.Announced(1, "", path, func() {})
			h.turns.Began(2, "") // which ends no turn of client 1
			h.turns.Announced(1, "", path+".pub", func() { close(done) })
		})
		<-done
		write(t, path, "a")
		write(t, path+".pub", "a")
		var changes []turns.Change
		done = make(chan struct{})
		h.loop.do(func() {
			h.turns.Turn(1, false, func(d turns.Detail, _ error) { changes = d.Changes; close(done) })
		})
		<-done
		if len(changes) != 2 || changes[0].After.Why != turns.Secret || changes[1].After.Why != "" {
			t.Errorf("%+v", changes)
		}
	})
}

func FuzzExact_TakesAnyMessage(f *testing.F) {
	for _, message := range []any{object{"path": "caf\xe9", "id": 1}, array{}, array{1}, "x", nil, object{"a": object{"b": array{1.5, true, nil, uint64(1) << 63}}}} {
		var b bytes.Buffer
		if err := msgpack.NewEncoder(&b).Encode(message); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(bytes.Repeat([]byte{0x91}, 10_000)) // arrays in arrays
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, text []byte) {
		if claims(text) > 1<<20 {
			return
		}
		d := msgpack.NewDecoder(bytes.NewReader(text))
		if d.Unpack() != nil {
			return
		}
		var m exact
		if m.UnmarshalMsgPack(d) != nil {
			return
		}
		for name, read := range exactly {
			table, err := m.table()
			if err == nil {
				_, err = read(table)
			}
			if err != nil && strings.Contains(err.Error(), string(text)) && len(text) > 2 {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// claims is the most bytes that one value of text may say it has. The decoder allocates and
// clears as many before it reads them: up to 4 GiB, which the editor, being whole, never says
// without sending them, and for which a test's machine may not have the memory.
func claims(text []byte) (most uint32) {
	for i, format := range text {
		if strings.IndexByte("\xc6\xc9\xdb", format) >= 0 && len(text)-i > 4 { // bin 32, ext 32, str 32
			most = max(most, binary.BigEndian.Uint32(text[i+1:]))
		}
	}
	return most
}
