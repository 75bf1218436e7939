// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"context"
	"fmt"

	"github.com/fsnotify/fsnotify"
)

// Changes tells, until ctx is done, when the lock files in a folder may have changed; of
// several changes in a row the last is told of for certain. The folder is made if it is
// missing. An error means that nothing will be told.
func Changes(ctx context.Context, dir string) (<-chan struct{}, error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	if err := events.Add(dir); err != nil {
		_ = events.Close()
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer events.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-events.Events:
			case <-events.Errors: // some were dropped
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	return changed, nil
}
