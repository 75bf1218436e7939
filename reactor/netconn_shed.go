// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"log/slog"
	"net"
	"os"
	"time"
)

// shedder refuses newcomers while the process is out of descriptors: it gives up
// a spare one to accept the connection and close it. It belongs to the goroutine
// that accepts.
type shedder struct {
	log    *slog.Logger
	ln     *net.TCPListener
	spare  *os.File
	failed episode
}

func (s *shedder) open() bool {
	spare, err := os.Open(os.DevNull)
	s.spare = spare
	return err == nil
}

func (s *shedder) close() {
	if s.spare != nil {
		_ = s.spare.Close()
	}
}

// complain logs an accept error that has nothing to do with descriptors.
func (s *shedder) complain(err error) {
	if s.failed.begins(time.Now()) {
		s.log.Error("accept failed", "error", cause(err))
	}
}

// one sheds one newcomer and reports whether it could.
func (s *shedder) one(cause error) bool {
	now := time.Now()
	if s.failed.begins(now) {
		s.log.Warn("out of file descriptors, new connections are refused", "error", cause)
	}
	if s.spare == nil {
		return s.open()
	}
	s.close()
	// The newcomer may have left: do not wait for another one.
	_ = s.ln.SetDeadline(now.Add(acceptPause))
	nc, err := s.ln.Accept()
	_ = s.ln.SetDeadline(time.Time{})
	if err == nil {
		_ = nc.Close()
	}
	return s.open() && err == nil
}
