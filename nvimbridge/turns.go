// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"slices"

	"claudecoded/nvimbridge/turns"
)

// exactly are the messages of which every byte counts; they are read as notifications are.
var exactly = map[string]func(table map[string]any) (action, error){
	"turn_file":   readTurnFile,
	"turn_forget": readTurnForget,
	"turn_saved":  readTurnSaved,
	"put":         readPut,
}

// keys is a map of PROTOCOL.md.
type keys = map[string]any

// TurnsChanged tells Neovim that what clients changed is not what it was, in place of what
// it was not told yet.
func (b *Bridge) TurnsChanged(n turns.News) {
	revisions := []keys{}
	for _, r := range n.Revisions {
		revisions = append(revisions, keys{"turn": r.Turn, "revision": r.Number})
	}
	it := push("turns_changed", keys{"turn": n.Turn, "files": n.Files, "revisions": revisions})
	it.news = true
	if i := slices.IndexFunc(b.queue, func(it item) bool { return it.news }); i >= 0 {
		b.queue[i] = it
		return
	}
	b.send(it)
}

func readReview(m *message) (action, error) {
	var o turns.Options
	err := m.read(want{"git", &o.Git}, want{"secret", &o.Secret})
	if err != nil {
		o = turns.Options{Secret: []string{"*"}} // which keeps nothing but names
	}
	return func(b *Bridge) { b.host.Turns().Review(o) }, err
}

func readTurns(m *message) (action, error) {
	var id int64
	if err := m.require(want{"id", &id}); err != nil {
		return nil, err
	}
	return func(b *Bridge) {
		b.host.Turns().List(func(all []turns.Summary) {
			told := []keys{}
			for _, s := range all {
				o := summary(s)
				o["added"], o["removed"] = s.Added, s.Removed
				told = append(told, o)
			}
			b.answer("turns", id, told)
		})
	}, nil
}

func summary(s turns.Summary) keys {
	return keys{"turn": s.Turn, "client": s.Client, "name": s.Name, "began_unix_ms": s.Began.UnixMilli(),
		"open": s.Open, "files": s.Files}
}

func readTurn(m *message) (action, error) {
	var id, turn int64
	if err := m.require(want{"id", &id}, want{"turn", &turn}); err != nil {
		return nil, err
	}
	shown := m.isTrue("shown")
	return func(b *Bridge) {
		b.host.Turns().Turn(turn, shown, func(d turns.Detail, err error) {
			if err != nil {
				b.answer("turn", id, keys{"error": err.Error()})
				return
			}
			files := []keys{}
			for _, c := range d.Changes {
				files = append(files, changeOf(c))
			}
			o := summary(d.Summary)
			o["files"], o["more"], o["unseen"] = files, d.More, d.Unseen
			b.answer("turn", id, o)
		})
	}, nil
}

func changeOf(c turns.Change) keys {
	o := keys{"path": c.Path, "change": c.What, "source": string(c.Source), "added": c.Added, "removed": c.Removed,
		"binary": c.Binary, "kept": c.Before.Why == "", "before": state(c.Before), "after": state(c.After)}
	if c.Before.Why != "" {
		o["why"] = string(c.Before.Why)
	}
	return o
}

// state is a state without its bytes.
func state(s turns.State) keys {
	o := keys{"kind": string(s.Kind), "size": s.Size, "mode": s.Mode}
	if hash := s.Hash(); hash != "" {
		o["hash"] = hash
	}
	return o
}

func readTurnFile(table map[string]any) (action, error) {
	id, err := whole(table, "id")
	if err != nil {
		return nil, err
	}
	answer := func(b *Bridge, v turns.Versions, err error) {
		if err != nil {
			b.answer("turn_file", id, keys{"error": err.Error()})
			return
		}
		b.answer("turn_file", id, keys{"path": v.Path, "before": withBytes(v.Before), "after": withBytes(v.After), "now": withBytes(v.Now)})
	}
	turn, err := whole(table, "turn")
	if err != nil {
		return func(b *Bridge) { answer(b, turns.Versions{}, err) }, err
	}
	path, err := wanted[string](table, "path")
	if err != nil {
		return func(b *Bridge) { answer(b, turns.Versions{}, err) }, err
	}
	return func(b *Bridge) {
		b.host.Turns().File(turn, path, func(v turns.Versions, err error) { answer(b, v, err) })
	}, nil
}

func withBytes(s turns.State) keys {
	o := state(s)
	if content := s.Bytes(); content != nil {
		o["bytes"] = content
	}
	return o
}

func readTurnForget(table map[string]any) (action, error) {
	list, err := wanted[[]any](table, "paths")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, item := range list {
		if path, ok := item.(string); ok {
			paths = append(paths, path)
		}
	}
	return func(b *Bridge) { b.host.Turns().Forget(paths) }, nil
}

func readTurnSaved(table map[string]any) (action, error) {
	path, err := wanted[string](table, "path")
	if err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Turns().Saved(path) }, nil
}

func readPut(table map[string]any) (action, error) {
	id, err := whole(table, "id")
	if err != nil {
		return nil, err
	}
	answer := func(b *Bridge, files []turns.Put, errs []error) {
		told := []keys{}
		for i, err := range errs {
			o := keys{"path": files[i].Path}
			if err != nil {
				o["error"] = err.Error()
			}
			told = append(told, o)
		}
		b.answer("put", id, told)
	}
	list, err := wanted[[]any](table, "files")
	if err != nil {
		return func(b *Bridge) { b.answer("put", id, keys{"error": err.Error()}) }, err
	}
	files := make([]turns.Put, len(list))
	for i, item := range list {
		entry, _ := item.(map[string]any)
		files[i] = readFile(entry)
	}
	return func(b *Bridge) {
		b.host.Turns().Put(files, func(errs []error) { answer(b, files, errs) })
	}, nil
}

// readFile reads one file of a put. What is missing makes it one that is refused.
func readFile(entry map[string]any) turns.Put {
	expect, _ := entry["expect"].(map[string]any)
	state, _ := entry["state"].(map[string]any)
	text := func(table map[string]any, key string) string {
		s, _ := table[key].(string)
		return s
	}
	p := turns.Put{Path: text(entry, "path"),
		Expect: turns.Expectation{Kind: turns.Kind(text(expect, "kind")), Hash: text(expect, "hash")},
		Kind:   turns.Kind(text(state, "kind"))}
	content, ok := state["bytes"].(string)
	if !ok && p.Kind != turns.Absent {
		p.Kind = "" // a file is not emptied because somebody forgot to say what is in it
	}
	p.Content = []byte(content)
	if mode, err := whole(state, "mode"); err == nil && mode > 0 && mode <= 0o777 {
		p.Mode = uint32(mode)
	}
	return p
}
