// Copyright (c) 2026 the claudecoded authors. MIT license.

package stdio

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestStreams_AreForTheProtocolAlone holds whatever in the process prints, and by whatever
// name it has standard output: the descriptor is written to as a library of it would.
func TestStreams_AreForTheProtocolAlone(t *testing.T) {
	t.Parallel()
	const printed = "printed by a library\n"
	for command, exchange := range map[string]struct{ ask, answer string }{
		"stdio": {`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"},
		// msgpack-RPC: a request and its error.
		"embed": {"\x94\x00\x01\xa4none\x90", "\x94\x01\x01\xbcunknown request method: none\xc0"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(stage.Binary, command)
			cmd.Env = stage.Environment(t)
			cmd.WaitDelay = time.Second
			stderr := &stage.Buffer{}
			cmd.Stderr = stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, stdout, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd.Stdout = stdout
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = stdout.Close()
			exited := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(exited)
			}()
			defer nvimtest.End(cmd.Process, exited)
			defer in.Close()
			if err := out.SetReadDeadline(time.Now().Add(nvimtest.Patience)); err != nil {
				t.Fatal(err)
			}
			// It has its streams once it has answered.
			if _, err := io.WriteString(in, exchange.ask); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, len(exchange.answer))
			if _, err := io.ReadFull(out, answer); err != nil || string(answer) != exchange.answer {
				t.Fatalf("answered %q, %v", answer, err)
			}
			descriptors := fmt.Sprintf("/proc/%d/fd/", cmd.Process.Pid)
			if err := os.WriteFile(descriptors+"1", []byte(printed), 0); err != nil {
				t.Fatal(err)
			}
			if read, err := os.Readlink(descriptors + "0"); read != os.DevNull {
				t.Errorf("standard input is %s, %v", read, err)
			}
			_ = in.Close()
			if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
				t.Fatalf("then came %q, %v", rest, err)
			}
			<-exited
			if !strings.Contains(stderr.String(), printed) {
				t.Errorf("stderr has %q", stderr)
			}
		})
	}
}
