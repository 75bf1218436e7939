// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"claudecoded/nvimbridge/lockfile"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// lockOf is the lock file of a daemon's editor.
func lockOf(port int, token string) lockfile.Found {
	return lockfile.Found{
		Lock: lockfile.Lock{Port: port, PID: os.Getpid(), WorkspaceFolders: []string{"/here"}, Token: token},
		Path: "/locks/some.lock",
	}
}

func portOf(t *testing.T, address net.Addr) int {
	t.Helper()
	return address.(*net.TCPAddr).Port
}

func TestDoctor_NamesTheLinkThatIsBroken(t *testing.T) {
	t.Parallel()
	d, empty := rig.Start(t, rig.Config{}), rig.Start(t, rig.Config{})
	empty.Do(t, func() { empty.Protocol.SetCatalogue(nil) })
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	}))
	t.Cleanup(stranger.Close)
	unused := wire.ClosedPort(t)
	ended := lockOf(d.Port, rig.Token)
	ended.Dead = true
	for name, test := range map[string]struct {
		found []lockfile.Found
		want  []string // how the lines begin
	}{
		"nothing":          {[]lockfile.Found{lockOf(d.Port, rig.Token)}, []string{"ok lock Neovim is process", "ok port claudecode", "ok session the token is right", "ok tools ", "ok call nvim_getWorkspaceFolders answered in"}},
		"no lock":          {nil, []string{"BROKEN lock no Neovim with claudecoded runs for /here; start Neovim there"}},
		"a dead process":   {[]lockfile.Found{ended}, []string{"note lock /locks/some.lock is left from process", "BROKEN lock no Neovim"}},
		"nobody listens":   {[]lockfile.Found{lockOf(unused, rig.Token)}, []string{"ok lock", "BROKEN port port "}},
		"somebody else":    {[]lockfile.Found{lockOf(portOf(t, stranger.Listener.Addr()), rig.Token)}, []string{"ok lock", "BROKEN port port "}},
		"the wrong token":  {[]lockfile.Found{lockOf(d.Port, "a-wrong-token-of-the-file")}, []string{"ok lock", "ok port", "BROKEN session the server refuses the token"}},
		"no tools at all":  {[]lockfile.Found{lockOf(empty.Port, rig.Token)}, []string{"ok lock", "ok port", "ok session", "BROKEN tools the editor has registered no tools"}},
		"a foreign editor": {[]lockfile.Found{{Lock: lockfile.Lock{Port: 1, PID: 2, WorkspaceFolders: []string{"/there"}}}}, []string{"note lock process 2 has port 1, for /there", "BROKEN lock"}},
	} {
		var out strings.Builder
		x := examination{out: &out}
		err := x.run(t.Context(), lockfile.Wanted{Folder: "/here"}, test.found)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if broken := strings.HasPrefix(test.want[len(test.want)-1], "BROKEN"); broken != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
		for i, want := range test.want {
			if got := strings.Join(strings.Fields(lines[min(i, len(lines)-1)]), " "); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, not %q", name, got, want)
			}
		}
		if len(lines) != len(test.want) {
			t.Errorf("%s: %s", name, out.String())
		}
		for _, secret := range []string{rig.Token, "a-wrong-token"} {
			if strings.Contains(out.String(), secret) {
				t.Errorf("%s: the report has a token: %s", name, out.String())
			}
		}
	}
}

func TestProbe_ReadsSoMuchOfAnAnswer(t *testing.T) {
	t.Parallel()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		page := make([]byte, 64<<10)
		for err := error(nil); err == nil; {
			_, err = w.Write(page)
		}
	}))
	t.Cleanup(endless.Close)
	p := prober{editor: lockOf(portOf(t, endless.Listener.Addr()), rig.Token)}
	if _, _, text, err := p.send(t.Context(), http.MethodGet, "/health", ""); err != nil || len(text) != 16<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestDoctor_DoesNotCallAnEditorBlockedThatIsReady(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	x := examination{prober: prober{editor: lockOf(d.Port, rig.Token)}, tool: "nvim_openDiff"}
	if err := x.prober.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.call(t.Context()); err == nil || !strings.Contains(err.Error(), "asks you") || strings.Contains(err.Error(), "blocked") {
		t.Errorf("%v", err)
	}
}

func TestDoctor_CallsOnlyToolsThatLook(t *testing.T) {
	t.Parallel()
	tool := func(name string, readOnly bool, required ...string) (p probedTool) {
		p.Name, p.Annotations.ReadOnlyHint, p.InputSchema.Required = name, readOnly, required
		return p
	}
	for _, test := range []struct {
		tool probedTool
		want bool
	}{
		{tool("nvim_getWorkspaceFolders", false), true},
		{tool("nvim_mine", true), true},
		{tool("nvim_mine", true, "file"), false},
		{tool("nvim_mine", false), false},
		{tool("nvim_closeAllDiffTabs", false), false},
	} {
		if got := test.tool.looks(); got != test.want {
			t.Errorf("%+v: %t", test.tool, got)
		}
	}
}

func TestList_SaysWhichEditorsAnswer(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	mute := lockOf(d.Port, rig.Token)
	mute.Port = 1 // nobody listens there
	ended := mute
	ended.Dead = true
	editors := examine(t.Context(), []lockfile.Found{lockOf(d.Port, rig.Token), mute, ended})
	var out strings.Builder
	if err := writeList(&out, editors); err != nil {
		t.Fatal(err)
	}
	if len(editors) != 2 || !editors[0].Answers || editors[0].State != "ready" || editors[1].Answers {
		t.Errorf("%+v", editors)
	}
	for _, part := range []string{"PID", "ready", "nothing listens there", "/here"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in %s", part, out.String())
		}
	}
	if strings.Contains(out.String(), rig.Token) {
		t.Error("the list has a token")
	}
	out.Reset()
	if err := writeList(&out, nil); err != nil || out.String() != "no Neovim with claudecoded runs\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
