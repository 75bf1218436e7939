// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"claudecoded/mcp"
)

// bench is an editor whose loop runs when it is told to.
type bench struct {
	*Editor
	posted   chan func()
	finished map[uint64]mcp.Outcome
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{posted: make(chan func(), 2*maxCalls), finished: map[uint64]mcp.Outcome{}}
	b.Editor = New(Config{
		Post:   func(f func()) bool { b.posted <- f; return true },
		Finish: func(token uint64, o mcp.Outcome) { b.finished[token] = o },
		Folder: dir,
	})
	return b
}

// turn runs what was posted before it.
func (b *bench) turn() {
	for range len(b.posted) {
		(<-b.posted)()
	}
}

// next runs one function, for which it waits.
func (b *bench) next(t *testing.T) {
	t.Helper()
	select {
	case f := <-b.posted:
		f()
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was posted")
	}
}

func (b *bench) ended(token uint64) bool {
	_, ok := b.finished[token]
	return ok
}

// text runs a call and returns the text of its result, or its error.
func (b *bench) text(t *testing.T, tool string, args map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	b.Call(mcp.Call{Token: 1, Tool: tool, Args: raw})
	delete(b.finished, 1)
	for !b.ended(1) {
		b.next(t)
	}
	o := b.finished[1]
	if o.Err != nil {
		return fmt.Sprintf("%d %s %s", o.Err.Code, o.Err.Message, o.Err.Data)
	}
	var result struct {
		Content []struct{ Type, Text string }
	}
	if err := json.Unmarshal(o.Result, &result); err != nil || len(result.Content) != 1 || result.Content[0].Type != "text" {
		t.Fatalf("%s: %v", o.Result, err)
	}
	return result.Content[0].Text
}

type args = map[string]any

func TestTools_AnswerAsNeovimDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a b%20c.txt": "one\ntwo <&>\nthree three\n", "empty": "", "ü": "x"})
	dir := b.cfg.Folder
	file := filepath.Join(dir, "a b%20c.txt")
	notOpen := func(path string) string {
		return fmt.Sprintf(`-32001 File not open "File must be open to retrieve diagnostics: %s"`, path)
	}
	for i, c := range []struct {
		tool string
		args args
		want string
	}{
		{"getWorkspaceFolders", nil, `{"success":true,"folders":[{"name":"` + filepath.Base(dir) + `","uri":"file://` + dir + `","path":"` + dir + `"}],"rootPath":"` + dir + `"}`},
		{"getDiagnostics", args{}, `[]`},
		{"getDiagnostics", args{"uri": "file://" + file}, notOpen(file)},
		{"openFile", args{"filePath": file}, "Opened file: " + file},
		{"openFile", args{"filePath": "a b%20c.txt"}, "Opened file: a b%20c.txt"},
		{"openFile", args{"filePath": file, "startText": "", "endText": "", "startLine": nil}, "Opened file: " + file},
		{"openFile", args{"filePath": file, "startLine": 2}, "Opened file and selected lines 2 to 2"},
		{"openFile", args{"filePath": file, "endLine": 2}, "Opened file and selected lines 1 to 2"},
		{"openFile", args{"filePath": file, "startLine": 2, "endLine": 99}, "Opened file and selected lines 2 to 3"},
		{"openFile", args{"filePath": file, "startLine": 3, "endLine": 1}, "Opened file and selected lines 3 to 3"},
		{"openFile", args{"filePath": file, "startLine": 1, "startText": "two"}, `Opened file and selected text "two"`},
		{"openFile", args{"filePath": file, "startText": "two", "endText": "three"}, `Opened file and selected text from "two" to "three"`},
		{"openFile", args{"filePath": file, "startText": "<&>", "endText": "two"}, `Opened file and selected text from "<&>" to "two"`},
		{"openFile", args{"filePath": file, "startText": "two", "endText": "one"}, `Opened file and positioned at "two" (end text "one" not found)`},
		{"openFile", args{"filePath": file, "startText": "t.o"}, `Opened file, but text "t.o" not found`},
		{"openFile", args{"filePath": file, "makeFrontmost": false}, `{"success":true,"filePath":"` + file + `","languageId":"","lineCount":3}`},
		{"openFile", args{"filePath": "empty", "makeFrontmost": false}, `{"success":true,"filePath":"empty","languageId":"","lineCount":1}`},
		{"openFile", args{"filePath": "ü"}, "Opened file: ü"},
		{"openFile", args{}, `-32602 Invalid params "Missing filePath parameter"`},
		{"openFile", args{"filePath": nil}, `-32602 Invalid params "Missing filePath parameter"`},
		{"openFile", args{"filePath": 5}, `-32602 Invalid params "an argument has the wrong type"`},
		{"openFile", args{"filePath": "none"}, `-32000 File operation error "File not found: none"`},
		{"openFile", args{"filePath": dir}, `-32000 File operation error "File not found: ` + dir + `"`},
		{"openFile", args{"filePath": "$HOME"}, `-32000 File operation error "File not found: $HOME"`},
		{"getDiagnostics", args{"uri": "file://" + file}, `[]`}, // as Claude sends it
		{"getDiagnostics", args{"uri": "file://" + strings.NewReplacer("%", "%25", " ", "%20").Replace(file)}, `[]`},
		{"getDiagnostics", args{"uri": file}, `[]`},
		{"getDiagnostics", args{"uri": nil}, `[]`},
		{"getDiagnostics", args{"uri": "file:///etc/hosts"}, notOpen("/etc/hosts")},
		{"getDiagnostics", args{"uri": 5}, `-32602 Invalid params "uri must be a string"`},
		{"noTool", nil, `-32000 no such tool: noTool "no such tool: noTool"`},
	} {
		if got := b.text(t, c.tool, c.args); got != c.want {
			t.Errorf("%d: %s %v\n got %s\nwant %s", i, c.tool, c.args, got, c.want)
		}
	}
}

func TestOpenFile_ExpandsOnlyTheHomeFolder(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil)
	if got := b.text(t, "openFile", args{"filePath": "~/f"}); got != "Opened file: "+filepath.Join(home, "f") {
		t.Error(got)
	}
	if got := b.text(t, "openFile", args{"filePath": "~f"}); got != `-32000 File operation error "File not found: ~f"` {
		t.Error(got)
	}
}

func TestOpenFile_TakesOnlyAFileWithinTheLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"full": "", "over": ""})
	for name, size := range map[string]int64{"full": maxFile, "over": maxFile + 1} {
		if err := os.Truncate(filepath.Join(b.cfg.Folder, name), size); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"full": "Opened file: full",
		"over": `-32000 File operation error "File too large: over"`,
	} {
		if got := b.text(t, "openFile", args{"filePath": name}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if b.isOpen("over") || !b.isOpen("full") {
		t.Errorf("%q are open", b.files)
	}
}

func TestOpenFile_ReadsOffTheLoopAndAtMostAFewAtATime(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"f": ""})
	for range maxReads {
		b.reads <- struct{}{} // as if that many files were being read
	}
	const cancelled, kept = 7, 8
	for _, token := range []uint64{cancelled, kept} {
		b.Call(mcp.Call{Token: token, Tool: "openFile", Args: []byte(`{"filePath":"f"}`)})
	}
	b.turn() // returns, while both wait
	b.Cancel(cancelled)
	select {
	case <-b.posted:
		t.Fatal("more files are read than maxReads")
	case <-time.After(50 * time.Millisecond):
	}
	if len(b.finished) != 0 || len(b.calls) != 2 {
		t.Errorf("finished %v, counted %v", b.finished, b.calls)
	}
	for range maxReads {
		<-b.reads
	}
	b.next(t)
	b.next(t)
	if !b.ended(kept) || b.ended(cancelled) || len(b.calls) != 0 {
		t.Errorf("finished %v, counted %v", b.finished, b.calls)
	}
}

func TestCall_RunsAfterItReturnedUnlessCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for token := range uint64(3) {
		b.Call(mcp.Call{Token: token, Tool: "getDiagnostics", Args: []byte(`{}`)})
	}
	b.Cancel(1)
	b.Cancel(99)
	if len(b.finished) != 0 {
		t.Error("Finish was called inside Call")
	}
	b.turn()
	if _, cancelled := b.finished[1]; cancelled || len(b.finished) != 2 {
		t.Errorf("%v", b.finished)
	}
}

func TestCall_IsRefusedWhenTooManyWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for token := range uint64(maxCalls + 1) {
		b.Call(mcp.Call{Token: token, Tool: "getDiagnostics", Args: []byte(`{}`)})
	}
	b.turn()
	if o := b.finished[maxCalls]; o.Err == nil || o.Err.Message != "editor is busy" {
		t.Errorf("%s %v", o.Result, o.Err)
	}
	if o := b.finished[maxCalls-1]; o.Err != nil {
		t.Error(o.Err)
	}
}

func TestCatalogue_ListsSchemasOfObjects(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(newBench(t, nil).Catalogue(), func(t mcp.Tool) bool { return len(t.InputSchema) == 0 })
	if len(list) != 3 {
		t.Errorf("%d tools", len(list))
	}
	for _, tool := range list {
		var s struct{ Type string }
		if err := json.Unmarshal(tool.InputSchema, &s); err != nil || s.Type != "object" || !tool.IDE || tool.Description == "" {
			t.Errorf("%+v: %v", tool, err)
		}
	}
}
