// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
)

func TestKeeper_LooksForAServerThatItLostOnlyAfterAPause(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	find := func(int) (Endpoint, error) { return Endpoint{Port: d.Port, Token: rig.Token}, nil }
	k := newKeeper(ctx, Config{Find: find, Log: slog.New(slog.DiscardHandler)}, func([]byte) {})
	t.Cleanup(func() { cancel(); k.stop() })
	l, err := k.get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lost := time.Now()
	k.lose(l, errSilent)
	if _, _, err := k.try(ctx); err == nil && time.Since(lost) < retryPause {
		t.Error("a server that refuses what it is asked for is asked without end")
	}
	if _, err := k.get(ctx); err != nil {
		t.Error(err)
	}
}

func TestKeeper_LeavesNoConnectionsToAServerThatItLost(t *testing.T) {
	t.Parallel()
	port, open := listen(t, func(http.ResponseWriter, *http.Request) {})
	find := func(int) (Endpoint, error) { return Endpoint{Port: port}, nil }
	k := newKeeper(t.Context(), Config{Find: find, Log: slog.New(slog.DiscardHandler)}, func([]byte) {})
	t.Cleanup(k.stop)
	l, err := k.get(t.Context())
	if err != nil || open.Load() == 0 {
		t.Fatal(err)
	}
	k.lose(l, errSilent)
	nvimtest.Eventually(t, "the connections are closed", func() bool { return open.Load() == 0 })
}
