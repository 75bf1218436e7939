// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestNetConn_ReadsAheadByOneBuffer: while the loop is busy, or reading is paused,
// a peer that sends for ever cannot make the connection hold more than that.
func TestNetConn_ReadsAheadByOneBuffer(t *testing.T) {
	t.Parallel()
	l, _ := start(t, NewNetConn)
	got := 0
	var conn *netConn
	port := listen(t, l, func(c Conn) Events {
		conn = c.(*netConn)
		conn.PauseRead()
		return received(func(p []byte) {
			if got += len(p); len(p) > maxRead {
				t.Errorf("%d bytes at once", len(p))
			}
		})
	})
	c := dial(t, port)
	sent := make(chan error)
	go func() {
		_, err := c.Write(make([]byte, 32<<20))
		sent <- err
	}()
	eventually(t, l, "the first read", func() bool { return conn != nil && conn.held != nil })
	for range 5 {
		<-time.After(time.Millisecond)
		on(t, l, func() {
			if got != 0 || len(l.(*netLoop).reports.next) != 0 {
				t.Error("read on while paused")
			}
		})
	}
	on(t, l, conn.ResumeRead)
	if err := <-sent; err != nil {
		t.Error(err)
	}
	eventually(t, l, "all data", func() bool { return got == 32<<20 })
}

// TestNetConn_PausedInDataReadsNoFurther, and the reader ends although it waits.
func TestNetConn_PausedInDataReadsNoFurther(t *testing.T) {
	t.Parallel()
	l, _ := start(t, NewNetConn)
	var conn *netConn
	got := 0
	port := listen(t, l, func(c Conn) Events {
		conn = c.(*netConn)
		return received(func(p []byte) {
			got += len(p)
			c.PauseRead()
		})
	})
	_, _ = dial(t, port).Write(make([]byte, 200_000))
	eventually(t, l, "the first read", func() bool { return got > 0 })
	for range 5 {
		<-time.After(time.Millisecond)
		on(t, l, func() {
			if conn.held != nil || !conn.owed {
				t.Error("read on while paused")
			}
		})
	}
	on(t, l, conn.Close)
}

// TestNetConn_NewsThatComesTooLateIsDropped: a worker may have reported just
// before what it works for was given up.
func TestNetConn_NewsThatComesTooLateIsDropped(t *testing.T) {
	t.Parallel()
	loop, _ := start(t, NewNetConn)
	l := loop.(*netLoop)
	ours, theirs := net.Pipe()
	on(t, l, func() {
		ln := &netListener{loop: l, closed: true, taken: make(chan struct{}, 1), accept: func(Conn) Events {
			t.Error("accepted by a closed listener")
			return nil
		}}
		ln.welcome(ours)
		w := &exitWatch{loop: l, stopped: true}
		w.exited(func() { t.Error("a stopped watch ran") })
	})
	_ = theirs.SetDeadline(time.Now().Add(patience))
	if _, err := theirs.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the late connection is not closed: %v", err)
	}
}

// received is an Events that only wants data.
type received func([]byte)

func (f received) Data(p []byte) { f(p) }
func (received) EOF()            {}
func (received) Closed(error)    {}

// TestNetConn_WriterIsLentLittle: what a peer that reads slowly took is seen long
// before a large write is over.
func TestNetConn_WriterIsLentLittle(t *testing.T) {
	t.Parallel()
	l, _ := start(t, NewNetConn)
	var conn *netConn
	port := listen(t, l, func(c Conn) Events {
		conn = c.(*netConn)
		c.Write([][]byte{make([]byte, 32<<20)}, nil)
		return mute{}
	})
	c := dial(t, port)
	var before uint64
	eventually(t, l, "the buffers to fill", func() bool {
		was := before
		before = 0
		if conn != nil {
			before = conn.Written()
		}
		return was > 0 && was == before
	})
	for read := 0; read < 16<<20; {
		n, err := c.Read(make([]byte, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		read += n
	}
	eventually(t, l, "progress", func() bool { return conn.Written() > before+maxLent })
}

// TestNetConn_BytesAreGivenBackAfterTheWriterIsDone: until then it reads them.
func TestNetConn_BytesAreGivenBackAfterTheWriterIsDone(t *testing.T) {
	t.Parallel()
	l, _ := start(t, NewNetConn)
	var conn *netConn
	ended := 0
	port := listen(t, l, func(c Conn) Events {
		conn = c.(*netConn)
		for range 8 {
			c.Write([][]byte{make([]byte, 4<<20)}, func(error) {
				if ended++; conn.writing && conn.gone {
					t.Error("done ran while a writer has the bytes")
				}
			})
		}
		return mute{}
	})
	dial(t, port)
	eventually(t, l, "a writer that waits", func() bool { return conn != nil && conn.writing && conn.Written() > 1<<20 })
	on(t, l, conn.Close)
	eventually(t, l, "all dones", func() bool { return ended == 8 })
}

func TestOptions_WithoutALoggerUseTheDefault(t *testing.T) {
	t.Parallel()
	if (Options{}).logger() == nil {
		t.Error("no logger")
	}
}

func TestNetConn_StopDoesNotWaitForAPeerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	l, err := NewNetConn(Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- l.Run() }()
	var got error
	port := listen(t, l, func(c Conn) Events {
		c.Write([][]byte{make([]byte, 32<<20)}, func(err error) { got = err })
		return mute{}
	})
	dial(t, port)
	eventually(t, l, "a writer", func() bool { return l.(*netLoop).writing > 0 })
	l.Stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Run does not return")
	}
	if got != ErrClosed {
		t.Errorf("the write ended with %v", got)
	}
}
