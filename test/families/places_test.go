// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"fmt"
	"strings"
	"testing"
)

// places is what quickfix_read and loclist_read answer.
type places struct {
	Title             string
	Nr, Size, Current int
	Items             []struct {
		Path, Type, Text string
		Line, Column     int
		Valid            bool
	}
	More int
}

func TestPlaces_AreSetAndRead(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a [1].txt", "one\n")
		e.Command("split")
		e.Lua(nil, watch)
		before := eval[string](e, `shape()`)
		items := []args{
			{"path": "a [1].txt", "line": 1, "column": 2, "type": "E", "text": "ä wrong"},
			{"text": "a heading"},
		}
		for _, list := range []string{"quickfix", "loclist"} {
			e.want(list+"_set", args{"items": items, "title": "mine"}, `"size":2`)
			e.want(list+"_set", args{"items": items[:1], "append": true}, `"size":3`)
			got := decode[places](t, e.want(list+"_read", args{}))
			if got.Title != "mine" || got.Nr != 1 || got.Size != 3 || got.Current != 1 || len(got.Items) != 3 {
				t.Fatalf("%s: %+v", list, got)
			}
			first := got.Items[0]
			if first.Path != path || first.Line != 1 || first.Column != 2 || first.Type != "E" || first.Text != "ä wrong" || !first.Valid {
				t.Errorf("%s: %+v", list, first)
			}
			if second := got.Items[1]; second.Path != "" || second.Text != "a heading" || second.Valid {
				t.Errorf("%s: %+v", list, second)
			}
			e.want(list+"_set", args{"items": items[:1], "title": "new"}, `"nr":2`)
			e.want(list+"_read", args{}, `"title":"new"`, `"size":1`)
		}
		if after := eval[string](e, `shape()`); after != before {
			t.Errorf("%s before and %s after", before, after)
		}
		e.Command("colder")
		e.want("quickfix_read", args{}, `"title":"mine"`)
		e.refused("loclist_read", args{"window": 9}, "There is no window 9")
		e.refused("quickfix_set", args{"items": []args{{"path": ""}}}, "items[0].path is no path")
	})
}

func TestPlaces_AreReadInParts(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.Lua(nil, `local items = {}
			for i = 1, 1200 do
				items[i] = { bufnr = 1, lnum = i, text = "x" .. ("ä"):rep(400) .. i }
			end
			vim.fn.setqflist(items)`)
		seen := 0
		for start := 1; ; {
			got := decode[places](t, e.want("quickfix_read", args{"start": start, "limit": 50}))
			for i, item := range got.Items {
				if item.Line != start+i || len(item.Text) > 600 || strings.ContainsRune(item.Text, '\uFFFD') {
					t.Fatalf("item %d is %+v", start+i, item)
				}
			}
			seen += len(got.Items)
			if got.More == 0 {
				break
			}
			start += len(got.Items)
		}
		if seen != 1200 {
			t.Errorf("%d of 1200", seen)
		}
		e.refused("quickfix_read", args{"limit": 501}, "limit")
		e.refused("quickfix_read", args{"start": 0}, "start")
		got := decode[places](t, e.want("quickfix_read", args{"start": 1201}))
		if len(got.Items) != 0 || got.Size != 1200 {
			t.Errorf("%+v", got)
		}
		many := make([]args, 10_001)
		for i := range many {
			many[i] = args{"text": fmt.Sprint(i)}
		}
		e.refused("quickfix_set", args{"items": many}, "items must not be more than 10000")
		e.want("quickfix_set", args{"items": many[1:]}, `"size":10000`)
	})
}

func TestPlaces_OfAWindowThatClosesEndTheCall(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.Command("split")
		e.Lua(nil, `
			-- Each entry takes longer than a piece of work may.
			local read = vim.fn.getloclist
			vim.fn.getloclist = function(win, what)
				vim.uv.sleep(what.items and 3 or 0)
				reading = reading or what.items ~= nil
				return read(win, what)
			end
			local items = {}
			for i = 1, 500 do
				items[i] = { bufnr = 1, lnum = i, text = "x" }
			end
			vim.fn.setloclist(0, items)`)
		p := e.start("loclist_read", args{"limit": 500})
		e.eventually(`reading == true`)
		e.Command("close")
		if text, err := p.answer(); err == nil || !strings.Contains(err.Error(), "The list is gone") {
			t.Errorf("%.100q, %v", text, err)
		}
	})
}
