// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"claudecoded/session"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// chunks is a body in chunks of n bytes.
func chunks(body string, n int) string {
	var b strings.Builder
	for len(body) > 0 {
		k := min(n, len(body))
		fmt.Fprintf(&b, "%x;ext=1\r\n%s\r\n", k, body[:k])
		body = body[k:]
	}
	return b.String() + "0\r\nTrailer: x\r\n\r\n"
}

func TestConnection_PipelinedRequestsAreAnsweredInOrderHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	session := dial(t, d).begin()
	body := func(id int) string { return call(id, "nvim_repeat", `{"n":2}`) }
	chunked := request("POST", "/mcp", "", session, "-Content-Length", "Transfer-Encoding: chunked")
	stream := request("POST", "/mcp", body(1), session) + chunked + chunks(body(2), 7) +
		request("GET", "/health", "") + request("POST", "/mcp", body(3), session)
	for _, size := range []int{1, 7, 100, len(stream)} {
		c := dial(t, d)
		for rest := stream; rest != ""; rest = rest[min(size, len(rest)):] {
			c.send(rest[:min(size, len(rest))])
		}
		for _, want := range []string{`"id":1,`, `"id":2,`, `"status"`, `"id":3,`} {
			if got := c.read(); got.status != 200 || !strings.Contains(got.body, want) {
				t.Errorf("in pieces of %d: %+v, want %s", size, got, want)
			}
		}
	}
}

func TestConnection_TricksOfFramingAreAnsweredOnceAndEndIt(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	session := dial(t, d).begin()
	smuggled := request("POST", "/mcp", ping, session)
	base := func(lines ...string) string {
		return request("POST", "/mcp", "", append([]string{session, "-Content-Length"}, lines...)...)
	}
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"a length in hex":           {base("Content-Length: 0x0"), 400},
		"a length that is empty":    {base("Content-Length:"), 400},
		"a length with a tail":      {base("Content-Length: 0;x"), 400},
		"a length that overflows":   {base("Content-Length: 18446744073709551616"), 413},
		"chunked twice":             {base("Transfer-Encoding: chunked, chunked") + "0\r\n\r\n", 400},
		"identity":                  {base("Transfer-Encoding: identity\r\nContent-Length: 0"), 400},
		"chunked in quotes":         {base("Transfer-Encoding: \"chunked\"") + "0\r\n\r\n", 400},
		"a coding after a tab":      {base("Transfer-Encoding:\vchunked") + "0\r\n\r\n", 400},
		"a blank before a name":     {base(" Transfer-Encoding: chunked") + "0\r\n\r\n", 400},
		"a line without a colon":    {base("X\r\nContent-Length: 0"), 400},
		"DEL in a value":            {base("X: \x7f\r\nContent-Length: 0"), 400},
		"no Host":                   {strings.Replace(base("Content-Length: 0"), "Host: 127.0.0.1\r\n", "", 1), 400},
		"a Host beside the target":  {strings.Replace(base("Content-Length: 0"), "POST /mcp", "POST http://localhost/mcp", 1), 400},
		"a tab in the request":      {strings.Replace(base("Content-Length: 0"), "POST ", "POST\t", 1), 400},
		"NUL in the target":         {strings.Replace(base("Content-Length: 0"), "/mcp ", "/mcp?\x00 ", 1), 400},
		"an unknown expectation":    {base("Expect: 200-ok\r\nContent-Length: 0"), 417},
		"a chunk line over a limit": {base("Transfer-Encoding: chunked") + "1;" + strings.Repeat("x", 2<<10) + "\r\na\r\n0\r\n\r\n", 400},
		"NUL in a chunk extension":  {base("Transfer-Encoding: chunked") + "1;\x00\r\na\r\n0\r\n\r\n", 400},
		"a chunk extension with LF": {base("Transfer-Encoding: chunked") + "1;a\nb\r\na\r\n0\r\n\r\n", 400},
		"a chunk size with a blank": {base("Transfer-Encoding: chunked") + " 1\r\na\r\n0\r\n\r\n", 400},
		"a chunk size with a sign":  {base("Transfer-Encoding: chunked") + "+1\r\na\r\n0\r\n\r\n", 400},
		"a trailer over the limit":  {base("Transfer-Encoding: chunked") + "0\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n", 431},
		"two lengths":               {base("Content-Length: 0\r\nContent-Length: 5"), 400},
		"a list of lengths":         {base("Content-Length: 0, 5"), 400},
		"a length with a sign":      {base("Content-Length: +0"), 400},
		"a length and chunks":       {base("Content-Length: 6\r\nTransfer-Encoding: chunked") + "0\r\n\r\n", 400},
		"chunks and a length":       {base("Transfer-Encoding: chunked\r\nContent-Length: 6") + "0\r\n\r\n", 400},
		"two codings":               {base("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked") + "0\r\n\r\n", 400},
		"a coding that only looks":  {base("Transfer-Encoding: xchunked") + "0\r\n\r\n", 400},
		"a blank before the colon":  {base("Transfer-Encoding : chunked") + "0\r\n\r\n", 400},
		"a folded line":             {base("X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0"), 400},
		"a bare LF in a line":       {base("X: a\nContent-Length: 5\r\nContent-Length: 0"), 400},
		"a bare CR in a line":       {base("X: a\rContent-Length: 5\r\nContent-Length: 0"), 400},
		"bare LFs and nothing else": {strings.ReplaceAll(base("Content-Length: 0"), "\r\n", "\n"), 400},
		"NUL in a value":            {base("X: \x00\r\nContent-Length: 0"), 400},
		"NUL in a name":             {base("X\x00: a\r\nContent-Length: 0"), 400},
		"two blanks in the request": {strings.Replace(base("Content-Length: 0"), "POST ", "POST  ", 1), 400},
		"two Hosts":                 {base("Host: localhost\r\nHost: localhost\r\nContent-Length: 0"), 400},
		"a chunk size of nothing":   {base("Transfer-Encoding: chunked") + "\r\n\r\n", 400},
		"a chunk size that is none": {base("Transfer-Encoding: chunked") + "0x1\r\na\r\n0\r\n\r\n", 400},
		"a chunk size too large":    {base("Transfer-Encoding: chunked") + "ffffffffffffffff1\r\n", 413},
		"a chunk longer than said":  {base("Transfer-Encoding: chunked") + "1\r\nab\r\n0\r\n\r\n", 400},
		"a chunk that ends in LF":   {base("Transfer-Encoding: chunked") + "1\na\n0\n\n", 400},
		"a trailer that is none":    {base("Transfer-Encoding: chunked") + "0\r\nPOST /mcp HTTP/1.1\r\n\r\n", 400},
		"a head over the limit":     {base("X: " + strings.Repeat("x", 16<<10)), 431},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, d)
			conn.send(request("GET", "/health", "") + c.request + smuggled)
			if got := conn.read(); got.status != 200 {
				t.Errorf("before it: %+v", got)
			}
			if got := conn.read(); got.status != c.status || !got.last {
				t.Errorf("%+v, want %d", got, c.status)
			}
			_ = conn.tcp.CloseWrite() // or it would listen on for a while
			conn.ended()
		})
	}
}

// What is strange and means one thing only is served.
func TestConnection_WhatIsOnlyStrangeIsServed(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	session := dial(t, d).begin()
	plain := request("POST", "/mcp", ping, session)
	chunked := request("POST", "/mcp", "", session, "-Content-Length", "Transfer-Encoding: Chunked")
	for name, c := range map[string]string{
		"absolute form":           strings.Replace(plain, "POST /mcp", "POST http://127.0.0.1/mcp", 1),
		"line ends behind it":     plain + "\r\n\r\n",
		"blanks around a value":   strings.Replace(plain, "Content-Length: ", "Content-Length: \t ", 1),
		"names in another case":   strings.Replace(plain, "Content-Length", "cONTENT-lENGTH", 1),
		"chunk extensions":        chunked + chunks(ping, 7),
		"leading zeros of a size": chunked + fmt.Sprintf("000%X\r\n%s\r\n000\r\n\r\n", len(ping), ping),
		"a long head":             request("POST", "/mcp", ping, session, "X: "+strings.Repeat("x", 15<<10)),
	} {
		conn := dial(t, d)
		conn.send(c + plain)
		for range 2 {
			if got := conn.read(); got.status != 200 || !strings.Contains(got.body, `"result":{}`) || got.last {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestConnection_ContinueIsAnnouncedBeforeTheBody(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := dial(t, d)
	session := c.begin()
	whole := request("POST", "/mcp", ping, session, "Expect: 100-continue")
	c.send(strings.TrimSuffix(whole, ping))
	c.within(wire.Patience)
	line, err := c.in.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := c.in.Discard(len("\r\n")); err != nil {
		t.Fatal(err)
	}
	c.send(ping)
	if got := c.read(); got.status != 200 {
		t.Errorf("%+v", got)
	}
}

// A client that has sent half of what is refused still finds the answer.
func TestConnection_RefusalReachesAClientThatStillSends(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	for range 20 {
		c := dial(t, d)
		c.send(request("POST", "/mcp", "", "Content-Length: 20000000"), strings.Repeat("x", 256<<10))
		if got := c.read(); got.status != 413 {
			t.Errorf("%+v", got)
		}
		_ = c.tcp.Close()
	}
}

func TestConnection_ClientThatSendsNoMoreIsAnswered(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := dial(t, d)
	session := c.begin()
	c.send(request("POST", "/mcp", call(1, "nvim_repeat", `{"n":100000}`), session))
	if err := c.tcp.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := c.read(); got.status != 200 || !strings.Contains(got.body, "rrr") {
		t.Errorf("%d, %.100s", got.status, got.body)
	}
	c.ended()
}

// open asks whether so many calls of openDiff are waited for.
func open(t *testing.T, d *rig.Daemon, n int) func() bool {
	return func() (ok bool) {
		d.Do(t, func() { ok = d.Editor.Open() == n })
		return ok
	}
}

func TestConnection_ThatEndsCancelsAStatelessCall(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	for name, end := range map[string]func(c *conn){
		"closed": func(c *conn) { _ = c.tcp.Close() },
		"reset": func(c *conn) {
			_ = c.tcp.SetLinger(0)
			_ = c.tcp.Close()
		},
	} {
		c := dial(t, d)
		// It never becomes a stream, which would be written to.
		c.send(strings.Replace(stateless(1, "tools/call", "nvim_openDiff", `"name":"nvim_openDiff","arguments":{}`), ", text/event-stream", "", 1))
		until(t, "the call runs", open(t, d, 1))
		end(c)
		until(t, name+": the call is cancelled", open(t, d, 0))
	}
}

func TestConnection_ThatHalfClosesKeepsItsCall(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := dial(t, d)
	c.send(stateless(1, "tools/call", "nvim_openDiff", `"name":"nvim_openDiff","arguments":{}`))
	until(t, "the call runs", open(t, d, 1))
	if err := c.tcp.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	c.within(wire.Patience)
	if line, err := c.in.ReadString('\n'); err != nil || line != "HTTP/1.1 102 Processing\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	until(t, "the call still runs", open(t, d, 1))
}

func TestConnection_SlowClientCostsNobodyElse(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	slow, c := dial(t, d), dial(t, d)
	session := c.begin()
	slow.send(request("POST", "/mcp", strings.Repeat("x", 100), session)[:200])
	for range 50 {
		c.send(request("POST", "/mcp", ping, session))
		if got := c.read(); got.status != 200 {
			t.Fatalf("%+v", got)
		}
	}
	ws := d.Open(t)
	ws.ExpectAlive()
}

func TestConnection_OneTooManyIsRefused(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{Session: session.Config{MaxHTTP: 3}})
	var all []*conn
	for range 3 {
		c := dial(t, d)
		c.send(request("GET", "/health", ""))
		if got := c.read(); got.status != 200 {
			t.Fatalf("%+v", got)
		}
		all = append(all, c)
	}
	c := dial(t, d)
	c.send(request("GET", "/health", ""))
	if got := c.read(); got.status != 503 {
		t.Errorf("%+v", got)
	}
	c.ended()
	d.Open(t).ExpectAlive() // they do not count for the WebSocket
	_ = all[0].tcp.Close()
	until(t, "a place is free", func() bool {
		c := dial(t, d)
		c.send(request("GET", "/health", "", "Connection: close"))
		return c.read().status == 200
	})
}

func TestConnection_StopEndsStreamsCleanly(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, idle := dial(t, d), dial(t, d)
	session := idle.begin()
	c.send(request("GET", "/mcp", "", session))
	in := c.events()
	if err := d.Stop(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(in); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	c.ended()
	idle.ended()
}
