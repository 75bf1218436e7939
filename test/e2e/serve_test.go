// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
	"claudecoded/test/wire"
)

// endings are the signals that end serve.
var endings = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}

func TestServe_PrintsOneLineAndLeavesCleanlyAtASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range endings {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			env := stage.Environment(t)
			home := nvimtest.Lookup(env, "HOME")
			p := stage.Serve(t, home, env, "--editor", "memory")
			port := p.Port()
			lock := stage.Find(t, env)
			if lock.Port != port || lock.PID != p.Cmd.Process.Pid || lock.WorkspaceFolders[0] != home {
				t.Errorf("port %d, process %d, lock %v", port, p.Cmd.Process.Pid, lock)
			}
			client := stage.Connect(t, lock)
			signalled := time.Now()
			if err := p.Cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if code, rest := p.Wait(); code != 0 || rest != "" {
				t.Errorf("exit code %d, stdout went on with %q", code, rest)
			}
			stage.ExpectGone(t, signalled, p.Cmd.Process.Pid, lock, client)
		})
	}
}

func TestServe_HeadlessServesANeovimOfItsOwnUntilASignal(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		for _, signal := range endings {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel()
				env := stage.Environment(t)
				env = append(env, "PATH="+filepath.Dir(binaryOfNvim)+":"+os.Getenv("PATH"))
				home := nvimtest.Lookup(env, "HOME")
				p := stage.Serve(t, home, env)
				p.Port()
				lock := stage.Find(t, env)
				if lock.PID == p.Cmd.Process.Pid || !stage.Running(lock.PID) {
					t.Errorf("the lock names process %d, which is not Neovim's", lock.PID)
				}
				client := stage.Connect(t, lock)
				checkRoot(t, client, home)
				signalled := time.Now()
				if err := p.Cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				if code, rest := p.Wait(); code != 0 || rest != "" {
					t.Errorf("exit code %d, stdout went on with %q", code, rest)
				}
				stage.ExpectGone(t, signalled, lock.PID, lock, client)
			})
		}
	})
}

func TestServe_EndsItsNeovimThoughThatIsBusy(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		env := stage.Environment(t)
		env = append(env, "PATH="+filepath.Dir(binaryOfNvim)+":"+os.Getenv("PATH"))
		p := stage.Serve(t, "", env)
		p.Port()
		lock := stage.Find(t, env)
		sockets, err := filepath.Glob(filepath.Join(nvimtest.Lookup(env, "XDG_RUNTIME_DIR"), "nvim.*"))
		if err != nil || len(sockets) != 1 {
			t.Fatalf("sockets %v, %v", sockets, err)
		}
		v, err := nvim.Dial(sockets[0], nvim.DialLogf(func(string, ...any) {}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = v.Close() })
		busy := make(chan struct{})
		if err := v.RegisterHandler("busy", func(...any) { close(busy) }); err != nil {
			t.Fatal(err)
		}
		go func() { _ = v.ExecLua(`vim.rpcnotify(...) while true do end`, nil, v.ChannelID(), "busy") }()
		<-busy
		if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code, _ := p.Wait(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if stage.Running(lock.PID) {
			t.Error("Neovim still runs")
			_ = syscall.Kill(lock.PID, syscall.SIGKILL)
		}
	})
}

// checkRoot checks that the tools answer, for a folder.
func checkRoot(t *testing.T, client *claude.Client, folder string) {
	t.Helper()
	result, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil)
	if err != nil {
		t.Fatal(err)
	}
	var workspace struct{ RootPath string }
	if err := result.Decode(&workspace); err != nil || workspace.RootPath != folder {
		t.Errorf("the root is %q, %v", workspace.RootPath, err)
	}
}

// bare starts a Neovim that has no plugin and listens at the returned address.
func bare(t *testing.T, binaryOfNvim string, env []string) (v *nvim.Nvim, address string) {
	t.Helper()
	home := nvimtest.Lookup(env, "HOME")
	address = filepath.Join(home, "nvim.sock")
	stage.Start(t, home, env, binaryOfNvim, "--clean", "--headless", "--listen", address)
	return stage.Attach(t, address, env).Nvim, address
}

func TestServe_AttachesToARunningNeovimAndLeavesItRunning(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(address string) (variable string, args []string){
		"--nvim":              func(a string) (string, []string) { return "", []string{"--nvim", a} },
		"NVIM_LISTEN_ADDRESS": func(a string) (string, []string) { return "NVIM_LISTEN_ADDRESS=" + a, nil },
		"NVIM":                func(a string) (string, []string) { return "NVIM=" + a, nil },
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
				env := stage.Environment(t)
				home := nvimtest.Lookup(env, "HOME")
				v, address := bare(t, binaryOfNvim, env)
				variable, args := tell(address)
				p := stage.Serve(t, home, append(env, variable), args...)
				p.Port()
				lock := stage.Find(t, env)
				var pid int
				if err := v.Eval("getpid()", &pid); err != nil || lock.PID != pid {
					t.Errorf("the lock names process %d, Neovim is %d, %v", lock.PID, pid, err)
				}
				client := stage.Connect(t, lock)
				checkRoot(t, client, home)
				signalled := time.Now()
				if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if code, rest := p.Wait(); code != 0 || rest != "" {
					t.Errorf("exit code %d, stdout went on with %q", code, rest)
				}
				stage.ExpectGone(t, signalled, p.Cmd.Process.Pid, lock, client)
				if !stage.Running(pid) {
					t.Error("Neovim ended with the daemon")
				}
			})
		})
	}
}

func TestServe_LeavesWithTheNeovimItAttachedTo(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		env := stage.Environment(t)
		v, address := bare(t, binaryOfNvim, env)
		p := stage.Serve(t, "", env, "--nvim", address)
		p.Port()
		lock := stage.Find(t, env)
		client := stage.Connect(t, lock)
		ended := time.Now()
		_ = v.Command("qa!")
		if code, rest := p.Wait(); code != 0 || rest != "" {
			t.Errorf("exit code %d, stdout went on with %q", code, rest)
		}
		stage.ExpectGone(t, ended, p.Cmd.Process.Pid, lock, client)
	})
}

func TestServe_TakesPortAndTokenFromTheUser(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	free := strconv.Itoa(wire.FreePorts(t, 1))
	p := stage.Serve(t, "", append(env, "MCP_PORT="+free, "MCP_AUTH_TOKEN=from-the-variable"), "--editor", "memory", "--no-lock")
	port := p.Port()
	if strconv.Itoa(port) != free {
		t.Errorf("port %d, not %s", port, free)
	}
	if stage.Exists(stage.LockDir(env)) {
		t.Error("a lock folder although none was wanted")
	}
	stage.Connect(t, claude.Lock{Port: port, AuthToken: "from-the-variable"})
	_, err := claude.Dial(stage.Within(t), port, "from-somewhere-els", claude.Options{})
	var refused *claude.RejectedError
	if !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("a wrong token: %v", err)
	}
}

func TestServe_AcceptsTheHostsItWasToldOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args   []string
		status int
	}{
		"none":            {nil, 403},
		"another":         {[]string{"--allowed-host", "proxy.example"}, 403},
		"this one":        {[]string{"--allowed-host", "host.docker.internal"}, 0},
		"this one of two": {[]string{"--allowed-host", "host.docker.internal", "--allowed-host", "proxy.example"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := stage.Environment(t)
			p := stage.Serve(t, "", env, append(test.args, "--editor", "memory")...)
			port := p.Port()
			dialer := ws.Dialer{
				Host:   fmt.Sprintf("host.docker.internal:%d", port),
				Header: ws.HandshakeHeaderHTTP{"X-Claude-Code-Ide-Authorization": {stage.Find(t, env).AuthToken}},
			}
			conn, _, _, err := dialer.Dial(stage.Within(t), fmt.Sprintf("ws://127.0.0.1:%d/", port))
			if conn != nil {
				_ = conn.Close()
			}
			var refused ws.StatusError
			if errors.As(err, &refused); int(refused) != test.status || err != nil && refused == 0 {
				t.Errorf("status %d, not %d: %v", refused, test.status, err)
			}
		})
	}
}

func TestServe_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	taken := busy.Addr().(*net.TCPAddr).Port
	for name, test := range map[string]struct {
		args string
		code int
		says string
	}{
		"no lock, no token":    {"--editor memory --no-lock", 1, "--no-lock needs a token"},
		"nothing to attach to": {"--editor attach", 1, "NVIM_LISTEN_ADDRESS"},
		"nobody there":         {"--nvim /nowhere/nvim.sock", 1, "/nowhere/nvim.sock"},
		"a short token":        {"--editor memory --token short", 1, "too short"},
		"a port in use":        {fmt.Sprintf("--editor memory --port %d", taken), 1, "EADDRINUSE"},
		"an empty range":       {"--editor memory --port 20000-10000", 1, "No available ports in range 20000-10000"},
		"not a port":           {"--editor memory --port 70000", 2, "neither a port"},
		"an unknown editor":    {"--editor emacs", 2, "--editor"},
		"an unknown level":     {"--editor memory --log-level loud", 2, "--log-level"},
		"no log file":          {"--editor memory --log-file /dev/null/x", 1, "log file"},
		"no interval":          {"--editor memory --ping-interval 0s", 1, "--ping-interval"},
		"no clients":           {"--editor memory --max-clients 0", 1, "--max-clients"},
		"no HTTP clients":      {"--editor memory --max-http-clients 0", 1, "--max-http-clients"},
		"a host without name":  {"--editor memory --allowed-host=", 1, "--allowed-host"},
		"an unknown flag":      {"--fast", 2, "--fast"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := stage.Environment(t)
			p := stage.Serve(t, "", env, strings.Fields(test.args)...)
			if code, out := p.Wait(); code != test.code || out != "" {
				t.Errorf("exit code %d, stdout %q", code, out)
			}
			if said := p.Stderr.String(); !strings.Contains(said, test.says) {
				t.Errorf("stderr %q", said)
			}
			if locks, _ := filepath.Glob(filepath.Join(stage.LockDir(env), "*")); len(locks) > 0 {
				t.Errorf("left behind: %v", locks)
			}
		})
	}
}

func TestServe_FailsWhenItsNeovimEndsTooEarly(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	home := nvimtest.Lookup(env, "HOME")
	if err := nvimtest.WriteProgram(filepath.Join(home, "nvim"), "#!/bin/sh\nexit 3\n"); err != nil {
		t.Fatal(err)
	}
	p := stage.Serve(t, "", append(env, "PATH="+home+":"+os.Getenv("PATH")))
	if code, out := p.Wait(); code != 1 || out != "" {
		t.Errorf("exit code %d, stdout %q", code, out)
	}
	if said := p.Stderr.String(); !strings.Contains(said, "the editor ended before it was ready") {
		t.Errorf("stderr %q", said)
	}
}

func TestServe_LogsToAPrivateFileWithoutSecrets(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	file := filepath.Join(nvimtest.Lookup(env, "HOME"), "logs", "daemon.log")
	p := stage.Serve(t, "", append(env, "MCP_LOG_FILE="+file), "--editor", "memory", "--log-level", "debug")
	p.Port()
	lock := stage.Find(t, env)
	client := stage.Connect(t, lock)
	_, _ = client.Call(stage.Within(t), "openFile", map[string]string{"filePath": "/secret-path"})
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if string(text) != p.Stderr.String() {
		t.Errorf("the file and stderr differ:\n%s\n%s", text, p.Stderr)
	}
	if !strings.Contains(string(text), "listening") || !strings.Contains(string(text), "tool=openFile") {
		t.Errorf("the log says too little:\n%s", text)
	}
	for _, secret := range []string{lock.AuthToken, "secret-path"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}
