// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"testing"
	"time"

	"claudecoded/nvimbridge/lockfile"
)

func TestFinder_KeepsThePlaceOfAnEditorThatStartsAgain(t *testing.T) {
	t.Parallel()
	at := func(pid int, folder string) lockfile.Found {
		return lockfile.Found{Lock: lockfile.Lock{PID: pid, WorkspaceFolders: []string{folder}}}
	}
	began := time.Now()
	for name, test := range map[string]struct {
		last, other lockfile.Found
		after       time.Duration
		taken       bool
	}{
		"the first":               {lockfile.Found{}, at(1, "/a"), 0, true},
		"the same":                {at(1, "/a/b"), at(1, "/a"), 0, true},
		"its successor":           {at(1, "/a/b"), at(2, "/a/b"), 0, true},
		"a deeper one":            {at(1, "/a"), at(2, "/a/b"), 0, true},
		"one around":              {at(1, "/a/b"), at(2, "/a"), 0, false},
		"one around, soon":        {at(1, "/a/b"), at(2, "/a"), returnTime - 1, false},
		"one around, after while": {at(1, "/a/b"), at(2, "/a"), returnTime, true},
	} {
		f := finder{wanted: lockfile.Wanted{Folder: "/a/b/c"}, last: test.last}
		err := f.keepPlace(test.other, began)
		if test.after > 0 {
			err = f.keepPlace(test.other, began.Add(test.after))
		}
		if (err == nil) != test.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
}
