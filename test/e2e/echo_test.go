// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"claudecoded/test/stage"
)

func TestEcho_SendsBackTextAndBinaryMessages(t *testing.T) {
	t.Parallel()
	p := stage.Start(t, "", stage.Environment(t), stage.Binary, "echo", "--port", "0")
	line, err := p.Stdout.ReadString('\n')
	var port int
	if _, scanned := fmt.Sscanf(line, "echo server listening on port %d\n", &port); scanned != nil {
		t.Fatalf("stdout began %q, %v, %v", line, err, scanned)
	}
	conn, _, _, err := ws.Dial(stage.Within(t), fmt.Sprintf("ws://127.0.0.1:%d/", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for op, data := range map[ws.OpCode][]byte{
		ws.OpText:   []byte(strings.Repeat("é", 70_000)),
		ws.OpBinary: {0xff, 0, 0xfe},
	} {
		if err := wsutil.WriteClientMessage(conn, op, data); err != nil {
			t.Fatal(err)
		}
		got, gotOp, err := wsutil.ReadServerData(conn)
		if err != nil || gotOp != op || !bytes.Equal(got, data) {
			t.Errorf("opcode %v came back as %v with %d bytes, %v", op, gotOp, len(got), err)
		}
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, _ := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
