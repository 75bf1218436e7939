// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what left the server in testdata/*.txtar")

// TestConversations replays testdata/*.txtar. The section conversation is what
// happens, one line each, interleaved with what must leave the server:
//
//	tools NAME                   the editor registers the tools of that section
//	open N, close N              client N comes, leaves
//	N> MESSAGE                   client N says
//	finish TOOL RESULT           the oldest open call of the tool ends
//	fail TOOL ERROR              ... with an error: a JSON string or object
//	progress TOOL DONE TOTAL TEXT
//	advance DURATION             time passes
//	state TEXT                   the editor's state, since now
//	wait TOOL REASON             open calls of the tool wait for a safe moment, or not any more
//	http NAME METHOD PATH [FIELD=VALUE]... [| BODY]
//	                             a request over HTTP; NAME< is the response to it
//	leave NAME                   its connection ends
//	notify N METHOD PARAMS, broadcast METHOD PARAMS, stop, clients
//
// Lines that start with "N< ", "NAME< ", "*< ", "editor: ", "rejected: " or "result: " left
// the server; -update writes them anew.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections := make(map[string]*[]byte)
			for i := range archive.Files {
				sections[archive.Files[i].Name] = &archive.Files[i].Data
			}
			text := sections["conversation"]
			if text == nil {
				t.Fatal("no section conversation")
			}
			want := string(*text)
			got := replay(t, want, sections)
			if *update {
				*text = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the conversation went another way (-want +got):\n%s", diff)
			}
		})
	}
}

var outgoing = regexp.MustCompile(`^(\w+<|\*<|editor:|rejected:|result:) `)

func replay(t *testing.T, conversation string, sections map[string]*[]byte) string {
	w := newWorld(t)
	for line := range strings.Lines(conversation) {
		line = strings.TrimSuffix(line, "\n")
		if outgoing.MatchString(line) {
			continue
		}
		w.lines = append(w.lines, line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := w.play(line, sections); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return strings.Join(w.lines, "\n") + "\n"
}

func (w *world) play(line string, sections map[string]*[]byte) error {
	verb, rest, _ := strings.Cut(line, " ")
	first, second, _ := strings.Cut(rest, " ")
	number, _ := strconv.ParseUint(first, 10, 64)
	if id, found := strings.CutSuffix(verb, ">"); found {
		client, err := strconv.ParseUint(id, 10, 64)
		w.server.Message(client, []byte(rest))
		return err
	}
	switch verb {
	case "tools":
		tools, err := readTools(*sections[first])
		for _, r := range w.server.SetCatalogue(tools) {
			w.note("rejected: %s: %v", r.Name, r.Err)
		}
		return err
	case "open":
		w.server.Open(number)
	case "close":
		w.gone[number] = true
		w.server.Closed(number, 1005, "")
	case "finish":
		return w.end(first, Outcome{Result: []byte(second)})
	case "fail":
		failure, err := readError(second)
		return errors.Join(err, w.end(first, Outcome{Err: failure}))
	case "progress":
		return w.progress(first, second)
	case "advance":
		d, err := time.ParseDuration(first)
		w.clock.advance(d)
		return err
	case "wait":
		for _, c := range w.open {
			if c.Tool == first {
				w.server.Waiting(c.Token, second)
			}
		}
	case "http":
		return w.http(first, second)
	case "leave":
		w.responses[first].leave()
	case "state":
		w.server.EditorState(rest, w.clock.now)
	case "notify":
		method, params, _ := strings.Cut(second, " ")
		w.note("result: %v", w.server.Notify(number, method, []byte(params)))
	case "broadcast":
		w.note("result: %v", w.server.BroadcastNotification(first, []byte(second), func(n int) { w.note("result: written %d", n) }))
	case "stop":
		w.server.Stop()
	case "clients":
		for _, info := range w.server.Clients() {
			w.note("result: %+v", info)
		}
	default:
		return fmt.Errorf("unknown verb")
	}
	return nil
}

func (w *world) end(tool string, out Outcome) error {
	for _, c := range w.open {
		if c.Tool == tool {
			w.finish(c.Token, out)
			return nil
		}
	}
	return fmt.Errorf("no open call of %s", tool)
}

func (w *world) progress(tool, rest string) error {
	var done, total float64
	var message string
	if _, err := fmt.Sscan(rest, &done, &total, &message); err != nil {
		return err
	}
	for _, c := range w.open {
		if c.Tool == tool {
			w.server.Progress(c.Token, done, total, message)
			return nil
		}
	}
	return fmt.Errorf("no open call of %s", tool)
}

func readTools(data []byte) (tools []Tool, err error) {
	var raw []struct {
		Name, Title, Description string
		Schema, Output           json.RawMessage
		Annotations, Meta, Icons json.RawMessage
		IDE, UI                  bool
		Timeout                  string
		Limit                    int
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	for _, r := range raw {
		t := Tool{
			Name: r.Name, Title: r.Title, Description: r.Description,
			InputSchema: r.Schema, OutputSchema: r.Output,
			Annotations: r.Annotations, Meta: r.Meta, Icons: r.Icons,
			IDE: r.IDE, UI: r.UI, ResultLimit: cmp.Or(r.Limit, -1),
		}
		if r.Timeout != "" {
			if t.Timeout, err = time.ParseDuration(r.Timeout); err != nil {
				return nil, err
			}
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func readError(text string) (*Error, error) {
	if message, err := strconv.Unquote(text); err == nil {
		return &Error{Message: message}, nil
	}
	var e struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	err := json.Unmarshal([]byte(text), &e)
	return &Error{e.Code, e.Message, e.Data}, err
}
