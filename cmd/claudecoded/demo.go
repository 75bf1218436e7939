// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"claudecoded/bench/claude"
)

const (
	// demoTimeout bounds everything the demo does before it asks the user.
	demoTimeout = 60 * time.Second
	// goneTimeout bounds how long the daemon may take to leave after its editor did.
	goneTimeout = 10 * time.Second
)

//go:embed sample
var sample embed.FS

type demoCommand struct {
	Editor  string `enum:"neovim,memory" default:"neovim" help:"What serves the client: neovim or memory, which needs no Neovim."`
	NvimBin string `default:"nvim" placeholder:"PATH" help:"The Neovim to start (${default})."`
}

// demoEditor is what the client of the demo talks to, in a process of its own.
type demoEditor interface {
	// name is how the conversation calls it.
	name() string
	// faults is how many diagnostics it knows of the broken file.
	faults() int
	// start starts it; its lock file appears later.
	start(ctx context.Context) error
	// stop asks it to leave and waits until it did.
	stop() error
}

// Run plays the demo. Whatever is not as it should be is an error.
func (c *demoCommand) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	stage, err := newStage(c.NvimBin)
	if err != nil {
		return err
	}
	defer stage.remove()
	var editor demoEditor = &neovimEditor{stage: stage}
	if c.Editor == "memory" {
		editor = &memoryEditor{stage: stage}
	}
	if err := c.play(ctx, stage, editor); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if c.Editor == "memory" || !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return nil
	}
	return c.offer(stage)
}

func (c *demoCommand) play(ctx context.Context, stage *stage, editor demoEditor) (err error) {
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	talk := newTranscript(os.Stdout, editor.name(), stage.dir)

	talk.heading("%s starts, the daemon with it", editor.name())
	if err := editor.start(ctx); err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			err = errors.Join(err, editor.stop())
		}
	}()
	lock, err := stage.awaitLock(ctx)
	if err != nil {
		return err
	}
	talk.found("lock file " + lock.Path)
	talk.found(fmt.Sprintf("port %d, process %d, folders %s", lock.Port, lock.PID, strings.Join(lock.WorkspaceFolders, " ")))

	talk.heading("Claude connects")
	client, err := claude.Dial(ctx, lock.Port, lock.AuthToken, claude.Options{Trace: talk.event, Root: stage.project})
	if err != nil {
		return err
	}
	if err := converse(ctx, talk, client, stage.project, editor.faults()); err != nil {
		return errors.Join(err, client.Close())
	}

	talk.heading("%s leaves, the daemon with it", editor.name())
	stopped = true
	if err := editor.stop(); err != nil {
		return err
	}
	return expectGone(talk, client, lock)
}

// converse is what the client asks, and what it must be answered.
func converse(ctx context.Context, talk *transcript, client *claude.Client, project string, faults int) error {
	_, tools, err := client.Start(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{"getWorkspaceFolders", "openFile", "getDiagnostics"} {
		if !slices.ContainsFunc(tools, func(t claude.Tool) bool { return t.Name == name }) {
			return fmt.Errorf("the tool %s is not listed", name)
		}
	}

	talk.heading("Claude asks which project is open")
	var workspace struct {
		Folders []struct{ Path string }
	}
	if err := call(ctx, client, "getWorkspaceFolders", nil, &workspace); err != nil {
		return err
	}
	if len(workspace.Folders) == 0 || workspace.Folders[0].Path != project {
		return fmt.Errorf("the workspace folders are %v, not %s", workspace.Folders, project)
	}
	talk.found("the folder " + project)

	broken := filepath.Join(project, "settings.json")
	talk.heading("Claude opens a file")
	opened, err := client.Call(ctx, "openFile", map[string]any{"filePath": broken, "preview": false, "makeFrontmost": true})
	if err != nil {
		return err
	}
	if text, err := opened.Text(); err != nil || text != "Opened file: "+broken {
		return fmt.Errorf("openFile answered %q (%v)", text, err)
	}
	talk.found("the file is open")

	talk.heading("Claude reads the diagnostics of that file")
	var files []struct {
		URI         string
		Diagnostics []struct {
			Message  string
			Severity string
			Range    struct{ Start struct{ Line int } }
		}
	}
	for tries := 1; ; tries++ {
		err := call(ctx, client, "getDiagnostics", map[string]any{"uri": "file://" + broken}, &files)
		if err == nil {
			break
		}
		// Its time is short for a machine that is busy.
		var refused *claude.RPCError
		if !errors.As(err, &refused) || tries == 20 {
			return err
		}
	}
	if faults == 0 && len(files) == 0 {
		talk.found("none, as nothing checks files here")
		return nil
	}
	if len(files) != 1 || len(files[0].Diagnostics) != faults {
		return fmt.Errorf("getDiagnostics answered %v, not %d of one file", files, faults)
	}
	found := files[0].Diagnostics[0]
	if found.Severity != "Error" || found.Message == "" || found.Range.Start.Line != brokenLine {
		return fmt.Errorf("getDiagnostics answered %v, not an error in line %d", found, brokenLine)
	}
	talk.found(fmt.Sprintf("line %d: %s", found.Range.Start.Line+1, found.Message))
	return nil
}

// brokenLine is the line of the sample's error, counted from 0.
const brokenLine = 3

func call(ctx context.Context, client *claude.Client, tool string, arguments, result any) error {
	answer, err := client.Call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	return answer.Decode(result)
}

// expectGone checks that nothing is left of a daemon whose editor ended.
func expectGone(talk *transcript, client *claude.Client, lock claude.Lock) error {
	select {
	case <-client.Ended():
	case <-time.After(goneTimeout):
		return errors.Join(errors.New("the client is still connected"), client.Close())
	}
	var closed *claude.CloseError
	if err := client.Err(); !errors.As(err, &closed) || closed.Code != 1001 {
		return fmt.Errorf("the connection ended without a Close frame of code 1001: %w", err)
	}
	talk.say(talk.editor, "→", fmt.Sprintf("closes the connection: %d %s", closed.Code, closed.Reason))
	gone := func() bool {
		_, err := os.Stat(lock.Path)
		return errors.Is(err, fs.ErrNotExist) && !portAnswers(lock.Port)
	}
	if !eventually(goneTimeout, gone) {
		return fmt.Errorf("%s or port %d is still there", lock.Path, lock.Port)
	}
	talk.found(fmt.Sprintf("the lock file is gone, port %d is free", lock.Port))
	return nil
}

func portAnswers(port int) bool {
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// eventually polls, ever more slowly, until the condition holds or the time is over.
func eventually(limit time.Duration, condition func() bool) bool {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; !condition(); pause = min(2*pause, 100*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(pause)
	}
	return true
}

// offer asks whether to open Neovim on the sample project, and does.
func (c *demoCommand) offer(stage *stage) error {
	fmt.Printf("\nOpen Neovim on the sample project, with the plugin? [y/N] ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
		return nil
	}
	return stage.openNeovim()
}
