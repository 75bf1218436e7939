// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

const (
	// openTimeout bounds the opening of a session, which never waits for the editor.
	openTimeout = 5 * time.Second
	// dialTimeout bounds a connection to this machine.
	dialTimeout = 2 * time.Second
	// maxConnections is how many connections carry requests at once; further requests
	// wait. The server has room for 64 of all its clients.
	maxConnections = 24
	// maxIdle is how many of them are kept for later.
	maxIdle = 2
	// farewell bounds the end of a session.
	farewell = 500 * time.Millisecond
)

// errNotServed says that a request certainly did nothing, so that it may be sent again.
var errNotServed = errors.New("the server did not take it")

// Endpoint is an editor's server on this machine.
type Endpoint struct {
	Port  int
	Token string
	// PID is the editor's process, by which it is preferred when it comes back.
	PID int
}

// link is the way to an editor's server, with a session there if the client began one. Its
// methods may be called from any goroutine.
type link struct {
	at Endpoint
	// calls carries requests, and control what must not wait behind them.
	calls, control *http.Client
	session        string
	version        string
	// answer is the server's to initialize.
	answer []byte
	// ctx is done when the link is no use any more, which end says.
	ctx context.Context
	end context.CancelFunc
}

// newLink makes a link that lasts as long as ctx at most.
func newLink(ctx context.Context, at Endpoint) *link {
	l := &link{at: at, calls: client(maxConnections), control: client(0)}
	l.ctx, l.end = context.WithCancel(ctx)
	return l
}

// client never asks a proxy: the server is on this machine.
func client(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		MaxConnsPerHost:       connections,
		MaxIdleConnsPerHost:   maxIdle,
		ResponseHeaderTimeout: silence,
		DisableCompression:    true,
	}}
}

// open finds out whether the server answers, and begins a session there if hello, the
// client's initialize, is not nil.
func (l *link) open(ctx context.Context, hello *message) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if hello == nil {
		response, err := l.do(ctx, l.control, http.MethodGet, "/health", nil, nil)
		if err != nil {
			return err
		}
		return response.Body.Close()
	}
	response, err := l.do(ctx, l.control, http.MethodPost, "/mcp", hello.text, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return l.status(response.StatusCode)
	}
	if l.answer, err = readAll(response.Body); err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	l.version = readServed(l.answer).member("result").text("protocolVersion")
	if l.session = response.Header.Get("Mcp-Session-Id"); l.session == "" {
		return nil // an error is an answer too
	}
	return l.tell(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

// status is the error of a response that is not the one wanted.
func (l *link) status(status int) error {
	if status == http.StatusUnauthorized {
		return fmt.Errorf("the editor's server on port %d refuses the token of its lock file", l.at.Port)
	}
	return fmt.Errorf("the editor's server on port %d answers with HTTP status %d", l.at.Port, status)
}

// do sends a request. header is added to what every one has.
func (l *link) do(ctx context.Context, by *http.Client, method, path string, body []byte, header map[string]string) (*http.Response, error) {
	address := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(l.at.Port)) + path
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.at.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for field, value := range header {
		r.Header.Set(field, value)
	}
	response, err := by.Do(r)
	if opErr := (*net.OpError)(nil); errors.As(err, &opErr) && opErr.Op == "dial" {
		return nil, fmt.Errorf("nothing answers on port %d, where claudecoded served this editor: %w", l.at.Port, errNotServed)
	}
	return response, plain(err)
}

// errHungUp is how a connection ends whose server ended.
var errHungUp = errors.New("the server closed the connection")

// plain is an error of net/http as a user reads it: without the request, which is always
// the same.
func plain(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return errHungUp
	}
	return err
}

// headerOf are the fields that a message needs.
func (l *link) headerOf(m message) map[string]string {
	if m.stateless() {
		return m.header()
	}
	return l.sessionHeader()
}

func (l *link) sessionHeader() map[string]string {
	h := map[string]string{}
	if l.session != "" {
		h["Mcp-Session-Id"], h["MCP-Protocol-Version"] = l.session, l.version
	}
	return h
}

// tell sends what has no answer, in the session.
func (l *link) tell(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	response, err := l.do(ctx, l.control, http.MethodPost, "/mcp", text, l.sessionHeader())
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		return l.status(response.StatusCode)
	}
	return nil
}

// ask sends a request and hands on what comes of it; answers says that it is an answer.
// sent is called when the request is written. The error says that one was not handed on.
func (l *link) ask(ctx context.Context, m message, sent func(), take func(text []byte, answers bool)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }}
	response, err := l.do(httptrace.WithClientTrace(ctx, trace), l.calls, http.MethodPost, "/mcp", m.text, l.headerOf(m))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lost := response.StatusCode == http.StatusNotFound && !m.stateless() && l.session != ""
	if lost || response.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf("%w: %w", l.status(response.StatusCode), errNotServed)
	}
	body := newImpatient(response.Body, func() { cancel(errSilent) })
	defer body.timer.Stop()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/event-stream" {
		return askEvents(body, m, take)
	}
	text, err := readAll(body)
	if err != nil {
		return plain(err)
	}
	if response.StatusCode != http.StatusOK {
		text = l.refusal(m, response.StatusCode, text)
	}
	take(text, true)
	return nil
}

var errNoAnswer = errors.New("the server ended the response before the answer")

func askEvents(body io.Reader, m message, take func([]byte, bool)) error {
	err := readEvents(body, func(data []byte) {
		rest, answers := m.rest(data)
		m = rest
		take(data, answers)
	})
	if !m.request() {
		return nil
	}
	if err != nil {
		return plain(err)
	}
	return errNoAnswer
}

// refusal is a response that has another status than 200 as the answer to the message: the
// server's error if it is one.
func (l *link) refusal(m message, status int, text []byte) []byte {
	o := readServed(text)
	switch {
	case o["error"] == nil:
		return m.failure(codeUnreachable, l.status(status).Error())
	case o["id"] == nil:
		return m.answers(`"error":` + string(o["error"]))
	}
	return text
}

// listen hands on what the server says on the session's stream, until that or the link
// ends.
func (l *link) listen(take func([]byte)) error {
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	header := l.sessionHeader()
	header["Accept"] = "text/event-stream"
	response, err := l.do(ctx, l.control, http.MethodGet, "/mcp", nil, header)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return l.status(response.StatusCode)
	}
	body := newImpatient(response.Body, func() { cancel(errSilent) })
	defer body.timer.Stop()
	return readEvents(body, take)
}

// close ends the link, its session and the connections that nothing uses.
func (l *link) close() {
	l.end()
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if l.session != "" {
		if response, err := l.do(ctx, l.control, http.MethodDelete, "/mcp", nil, l.sessionHeader()); err == nil {
			_ = response.Body.Close()
		}
	}
	l.hangUp()
}

// hangUp closes the connections that nothing uses, now or later: the server has few places.
func (l *link) hangUp() {
	l.calls.CloseIdleConnections()
	l.control.CloseIdleConnections()
}
