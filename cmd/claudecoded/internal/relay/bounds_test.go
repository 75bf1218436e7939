// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"claudecoded/test/nvimtest"
)

// transport is a server in memory, whose time is that of the test.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// stuck is one that never answers.
func stuck(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func respond(status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}
}

// linkTo is a link to such a server.
func linkTo(f transport) *link {
	l := newLink(context.Background(), Endpoint{})
	l.calls, l.control = &http.Client{Transport: f}, &http.Client{Transport: f}
	return l
}

// newRelay is a relay to a server in memory, or without one.
func newRelay(ctx context.Context, f transport) *relay {
	cfg := Config{Version: "1", Log: slog.New(slog.DiscardHandler), Find: func(int) (Endpoint, error) {
		if f == nil {
			return Endpoint{}, errNowhere
		}
		return Endpoint{}, nil
	}}
	r := &relay{ctx: ctx, cfg: cfg, out: io.Discard, quit: func(error) {}}
	r.calls.all = map[string]*call{}
	r.keeper = newKeeper(ctx, cfg, r.emit)
	r.keeper.dial = func(context.Context, Endpoint) *link { return linkTo(f) }
	return r
}

// lasts runs f in time that passes at once, and compares how much of it.
func lasts(t *testing.T, want, slack time.Duration, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		f(t)
		if took := time.Since(began); took < want || took > want+slack {
			t.Errorf("it took %v, want %v", took, want)
		}
	})
}

func read(t *testing.T, line string) message {
	t.Helper()
	m, err := readMessage([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLink_WaitsForAServerThatSaysNothingSoLong(t *testing.T) {
	t.Parallel()
	greeting := read(t, hello)
	for name, c := range map[string]struct {
		want time.Duration
		do   func(l *link) error
	}{
		"to open a session":    {openTimeout, func(l *link) error { return l.open(context.Background(), &greeting) }},
		"to see whether it is": {openTimeout, func(l *link) error { return l.open(context.Background(), nil) }},
		"to tell it something": {openTimeout, func(l *link) error { return l.tell(context.Background(), nil) }},
		"to leave": {farewell, func(l *link) error {
			l.session = "s"
			l.close()
			return context.DeadlineExceeded
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lasts(t, c.want, 0, func(t *testing.T) {
				if err := c.do(linkTo(stuck)); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		})
	}
}

// Each byte gives a response as much time again.
func TestImpatient_GivesUpAResponseThatStaysSilent(t *testing.T) {
	t.Parallel()
	const pause = silence - time.Second
	for _, text := range []string{"", "xx"} {
		lasts(t, time.Duration(len(text))*pause+silence, 0, func(t *testing.T) {
			from, to := io.Pipe()
			body := newImpatient(from, func() { _ = to.CloseWithError(errSilent) })
			go func() {
				for i := range text {
					<-time.After(pause)
					_, _ = to.Write([]byte{text[i]})
				}
			}()
			if got, err := io.ReadAll(body); string(got) != text || !errors.Is(err, errSilent) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if wait := client(1).Transport.(*http.Transport).ResponseHeaderTimeout; wait != silence {
		t.Errorf("the head of a response is waited for %v", wait)
	}
}

func TestKeeper_WaitsSoLongForAnEditorThatWasThereAMomentAgo(t *testing.T) {
	t.Parallel()
	lasts(t, restartPatience, retryPause, func(t *testing.T) {
		r := newRelay(t.Context(), nil)
		r.keeper.lostAt = time.Now()
		if _, err := r.keeper.get(t.Context()); !errors.Is(err, errNowhere) {
			t.Error(err)
		}
	})
	lasts(t, 0, 0, func(t *testing.T) { // there was none
		if _, err := newRelay(t.Context(), nil).keeper.get(t.Context()); !errors.Is(err, errNowhere) {
			t.Error(err)
		}
	})
}

func TestKeeper_LooksForAnEditorEverySoOften(t *testing.T) {
	t.Parallel()
	lasts(t, 3*lookAgain, 0, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, looks := newRelay(ctx, nil), 0
		r.keeper.cfg.Find = func(int) (Endpoint, error) {
			if looks++; looks == 3 {
				cancel()
			}
			return Endpoint{}, errNowhere
		}
		r.keeper.watch(ctx)
	})
}

func TestRelay_SendsARequestToAnEditorThatGoesAwaySoOften(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		r := newRelay(t.Context(), func(request *http.Request) (*http.Response, error) {
			if request.URL.Path == "/health" {
				return respond(http.StatusOK), nil
			}
			tries++
			return nil, io.ErrUnexpectedEOF
		})
		var out bytes.Buffer
		r.out = &out
		c, err := r.calls.begin(read(t, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`), func() {})
		if err != nil {
			t.Fatal(err)
		}
		r.serve(t.Context(), c)
		if !strings.Contains(out.String(), `"id":1,"error"`) || tries != maxTries {
			t.Errorf("%s after %d tries", out.String(), tries)
		}
	})
}

func TestRelay_SendsACancellationSoOften(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"of a request that was sent": true, "of one that waits": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lasts(t, cancelTries*cancelPause, 0, func(t *testing.T) {
				told := 0
				r := newRelay(t.Context(), func(request *http.Request) (*http.Response, error) {
					if request.Method == http.MethodPost {
						told++
					}
					return respond(http.StatusAccepted), nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				c, err := r.calls.begin(read(t, toolCall("1", "x", "{}")), cancel)
				if err != nil {
					t.Fatal(err)
				}
				if sent {
					c.written()
				}
				r.cancelled(read(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
				<-ctx.Done()
				if want := map[bool]int{true: cancelTries}[sent]; told != want {
					t.Errorf("told %d times, want %d", told, want)
				}
			})
		})
	}
}

// A call that does not end holds the relay up for the answers that are due, and then for its end.
func TestRelay_EndsSoonAfterItsInput(t *testing.T) {
	t.Parallel()
	lasts(t, lastAnswers+endGrace, 0, func(t *testing.T) {
		release := make(chan struct{})
		in := strings.NewReader(toolCall("1", "x", "{}") + "\n")
		err := Run(t.Context(), in, io.Discard, Config{
			Log: slog.New(slog.DiscardHandler), Find: func(int) (Endpoint, error) {
				<-release
				return Endpoint{}, errNowhere
			},
		})
		if err != nil {
			t.Error(err)
		}
		close(release)
	})
}

// endless is a line without an end, so long.
type endless int

func (e *endless) Read(p []byte) (int, error) {
	if *e <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), int(*e))
	*e -= endless(n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	return n, nil
}

func TestRelay_RefusesALineThatIsTooLong(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r, long := newRelay(t.Context(), nil), endless(maxLine+2)
	r.out = &out
	err := r.read(io.MultiReader(&long, strings.NewReader("\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")))
	if want := "more than " + strconv.Itoa(maxLine) + " bytes"; err != io.EOF || !strings.Contains(out.String(), want) ||
		!strings.HasSuffix(out.String(), `"id":1,"result":{}}`+"\n") {
		t.Errorf("%.300s, %v", out.String(), err)
	}
}

// What is more than the server has room for waits here.
func TestLink_HasSoManyConnections(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	full, fill := make(chan struct{}), sync.Once{}
	port, open := listen(t, func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		if n == maxConnections {
			fill.Do(func() { close(full) })
		}
		<-full
	})
	l := newLink(t.Context(), Endpoint{Port: port})
	m := read(t, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	var asks sync.WaitGroup
	for range 2 * maxConnections {
		asks.Go(func() {
			if err := l.ask(t.Context(), m, func() {}, func([]byte, bool) {}); err != nil {
				t.Error(err)
			}
		})
	}
	asks.Wait()
	if limit := l.calls.Transport.(*http.Transport).MaxConnsPerHost; limit != maxConnections || most.Load() != maxConnections {
		t.Errorf("%d at once, of %d", most.Load(), limit)
	}
	nvimtest.Eventually(t, "few are kept", func() bool { return open.Load() == maxIdle })
	l.hangUp()
	nvimtest.Eventually(t, "none is kept", func() bool { return open.Load() == 0 })
}

func TestLink_TakesNoAnswerThatIsTooLong(t *testing.T) {
	t.Parallel()
	greeting, ping := read(t, hello), read(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	l := linkTo(func(*http.Request) (*http.Response, error) {
		long, answer := endless(maxAnswer+1), respond(http.StatusOK)
		answer.Body = io.NopCloser(&long)
		return answer, nil
	})
	if err := l.open(t.Context(), &greeting); !errors.Is(err, errTooLong) {
		t.Errorf("opening: %v", err)
	}
	taken := false
	if err := l.ask(t.Context(), ping, func() {}, func([]byte, bool) { taken = true }); !errors.Is(err, errTooLong) || taken {
		t.Errorf("asking: %v, taken is %v", err, taken)
	}
}

func TestEvents_OfManyLinesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("x", 1<<20) + "\n"
	var lines []io.Reader
	for range maxAnswer>>20 + 1 {
		lines = append(lines, strings.NewReader(line))
	}
	lines = append(lines, strings.NewReader("\n"))
	if err := readEvents(io.MultiReader(lines...), func([]byte) { t.Error("taken") }); !errors.Is(err, errTooLong) {
		t.Error(err)
	}
}
