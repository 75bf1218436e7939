// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/panjf2000/gnet/v2/pkg/logging"

	_ "claudecoded/reactor/internal/quietenv" // before gnet's logging
)

// gnet's own logger writes to stdout, which may be an RPC channel. It is replaced
// when the package is initialised, before anything can log.
func init() {
	logging.SetDefaultLoggerAndFlusher(pollerLog{}, func() error { return nil })
}

// pollerLog passes the poller's lines on to slog's default logger.
type pollerLog struct{}

func (pollerLog) Debugf(format string, args ...any) { pollerLine(slog.LevelDebug, format, args) }
func (pollerLog) Infof(format string, args ...any)  { pollerLine(slog.LevelInfo, format, args) }
func (pollerLog) Warnf(format string, args ...any)  { pollerLine(slog.LevelWarn, format, args) }
func (pollerLog) Errorf(format string, args ...any) { pollerLine(slog.LevelError, format, args) }
func (pollerLog) Fatalf(format string, args ...any) { pollerLine(slog.LevelError, format, args) }

func pollerLine(level slog.Level, format string, args []any) {
	slog.Default().Log(context.Background(), level, "poller: "+fmt.Sprintf(format, args...))
}
