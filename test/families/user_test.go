// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// input has an input of the user's answered.
const input = `
	vim.ui.input = function(options, answer)
		wanted = { prompt = options.prompt, answer = answer }
	end
`

// write waits for an input and has the user write.
func (e *editor) write(prompt, text string) {
	e.t.Helper()
	e.eventually(`wanted ~= nil and wanted.prompt == ...`, prompt)
	e.Lua(nil, `local q = wanted wanted = nil q.answer(...)`, text)
}

// talk is what comes of an interview.
type talk struct {
	Completed bool
	Answers   []struct {
		Question string
		Answer   json.RawMessage
	}
}

func (e *editor) interview(p *call) talk {
	e.t.Helper()
	text, err := p.answer()
	if err != nil {
		e.t.Fatal(err)
	}
	return decode[talk](e.t, text)
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTest_AsksTheUserToChoose(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		ask := args{"prompt": "Which?", "options": []string{"a", "b"}}
		p := e.start("test_async_prompt", ask)
		e.choose("Which?", 2)
		if text, err := p.answer(); err != nil || decode[args](t, text)["selected"] != "b" || decode[args](t, text)["index"] != 2. {
			t.Errorf("%q, %v", text, err)
		}
		p = e.start("test_async_prompt", ask)
		e.choose("Which?", 9)
		if text, err := p.answer(); err != nil || !strings.Contains(text, `"cancelled":`) {
			t.Errorf("%q, %v", text, err)
		}
		e.refused("test_async_prompt", args{"prompt": "Which?", "options": []string{}},
			"Options array is required and must not be empty")
		e.refused("test_async_prompt", args{"options": []string{"a"}}, "prompt")
		p = e.start("test_async_prompt", ask)
		e.eventually(`asked ~= nil`)
		p.cancel()
		e.eventually(`require("mcp-tools.registry").pending_count() == 0`)
		e.Lua(nil, `asked.answer("a", 1)`)
	})
}

func TestTest_ListsLoadedBuffers(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\n")
		e.Command("setlocal filetype=text | badd later.txt | new")
		got := decode[struct {
			Count   int
			Buffers []struct {
				Bufnr, LineCount           int
				Name, Buftype, Filetype    string
				Modified, Readonly, Listed bool
				Lines                      int `json:"line_count"`
			}
		}](t, e.want("test_sync_buffers", args{}))
		if got.Count != 2 || len(got.Buffers) != 2 {
			t.Fatalf("%+v", got)
		}
		if b := got.Buffers[0]; b.Name != path || b.Filetype != "text" || b.Lines != 2 || b.Modified || b.Readonly || !b.Listed {
			t.Errorf("%+v", b)
		}
		if b := got.Buffers[1]; b.Name != "[No Name]" {
			t.Errorf("%+v", b)
		}
	})
}

func TestInterview_AsksOneQuestionAfterTheOther(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.Lua(nil, input)
		p := e.start("interview", args{"questions": []args{
			{"question": "Name?"},
			{"question": "Colour?", "choices": []string{"red", "blue"}, "default_choice": 1},
			{"question": "Other?", "choices": []string{"x"}},
			{"question": "Which?", "choices": []string{"a", "b", "c"}, "multiselect": true},
		}})
		e.write("(1/4) Name? ", "  ")
		e.write("(1/4) Name? ", " Ada ")
		e.eventually(`asked ~= nil`)
		if got := eval[string](e, `(function()
			return table.concat(asked.items, ",")
		end)()`); got != "red,blue,Something else…" {
			t.Errorf("offered %s", got)
		}
		e.choose("(2/4) Colour?", 2)
		e.choose("(3/4) Other?", 2)
		e.write("(3/4) Other? ", "mine")
		e.choose("(4/4) Which?", 1)
		e.choose("(4/4) Which?", 3)
		e.choose("(4/4) Which?", 1)
		e.choose("(4/4) Which?", 4)
		e.write("(4/4) Which? ", "d")
		e.choose("(4/4) Which?", 5)
		got := e.interview(p)
		if !got.Completed || len(got.Answers) != 4 {
			t.Fatalf("%+v", got)
		}
		for i, want := range []string{`"Ada"`, `"blue"`, `"mine"`, `["c","d"]`} {
			if answer := compact(t, got.Answers[i].Answer); answer != want {
				t.Errorf("answer %d is %s, want %s", i+1, answer, want)
			}
		}
		if got.Answers[1].Question != "Colour?" {
			t.Errorf("%+v", got.Answers[1])
		}
	})
}

func TestInterview_IsOverWhenTheUserLeavesIt(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.Lua(nil, input)
		questions := args{"questions": []args{{"question": "1?", "choices": []string{"a"}}, {"question": "2?"}}}
		p := e.start("interview", questions)
		e.choose("(1/2) 1?", 1)
		e.eventually(`wanted ~= nil`)
		e.Lua(nil, `wanted.answer(nil)`)
		if got := e.interview(p); got.Completed || got.Answers == nil || len(got.Answers) != 0 {
			t.Errorf("%+v", got)
		}
		e.Lua(nil, `wanted = nil`)
		p = e.start("interview", questions)
		e.eventually(`asked ~= nil`)
		p.cancel()
		e.eventually(`require("mcp-tools.registry").pending_count() == 0`)
		e.Lua(nil, `asked.answer("a", 1)`)
		if eval[bool](e, `wanted ~= nil`) {
			t.Error("it goes on without anybody who waits")
		}
	})
}

func TestInterview_RefusesWhatIsNoQuestion(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		many := make([]args, 51)
		choices := make([]string, 101)
		for i := range many {
			many[i] = args{"question": "?"}
		}
		for _, c := range []struct {
			questions any
			want      string
		}{
			{[]args{}, "questions array is required and must not be empty"},
			{[]args{{"question": "?"}, {"question": " "}}, "Question 2: 'question' field is required and must be a non-empty string"},
			{[]args{{"question": "?", "choices": []string{}}}, "Question 1: 'choices' array must not be empty if provided"},
			{many, "questions must not be more than 50"},
			{[]args{{"question": "?", "choices": choices}}, "Question 1: 'choices' must not be more than 100"},
		} {
			e.refused("interview", args{"questions": c.questions}, c.want)
		}
	})
}
