// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import "log/slog"

// The bounds of one turn, in bytes unless said otherwise.
const (
	// maxRead is the longest slice one Data call gets.
	maxRead = 64 << 10
	// maxConnRead bounds what one connection is read per turn.
	maxConnRead = 256 << 10
	// maxTurnRead ends the extra reads of a turn. Each ready connection is read
	// once whatever the others sent.
	maxTurnRead = 4 << 20
	// maxPosted is the number of posted closures that run per turn.
	maxPosted = 1024
	// maxWrite bounds one writev, so that a long write shows its progress.
	maxWrite = 1 << 20
	// maxWriteBufs is the number of slices one writev takes (IOV_MAX of Linux).
	maxWriteBufs = 1024
	// maxAccepts is the number of connections one listener accepts per turn.
	maxAccepts = 64
	// maxKept is the number of entries an emptied list keeps room for.
	maxKept = 1024
	// maxLastRounds bounds how often callbacks may cause callbacks at the loop's end.
	maxLastRounds = 64
)

// Options configures a loop.
type Options struct {
	// Logger receives panics of callbacks (error) and shed connections (warn).
	// Nil means slog.Default.
	Logger *slog.Logger
}

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.Default()
	}
	return o.Logger
}
