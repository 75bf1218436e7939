// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestFind_MatchesFoldersAsTheRealClient(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "project")
	below := filepath.Join(project, "below")
	link := filepath.Join(base, "link")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		folders [][]string
		cwd     string
		port    int
		err     error
	}{
		"the folder":            {[][]string{{project}}, project, 1, nil},
		"below it":              {[][]string{{"/elsewhere", project}}, below, 1, nil},
		"above it":              {[][]string{{below}}, project, 0, ErrNoServer},
		"a name that continues": {[][]string{{base + "/pro"}}, project, 0, ErrNoServer},
		"two of them":           {[][]string{{project}, {base}}, project, 0, ErrAmbiguous},
		"the second":            {[][]string{{"/elsewhere"}, {project}}, project, 2, nil},
		"through a link":        {[][]string{{project}}, link, 1, nil},
		"a link in the lock":    {[][]string{{link}}, link, 0, ErrNoServer},
		"no working directory":  {[][]string{{"/elsewhere"}}, "", 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "[ide]")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for i, folders := range test.folders {
				text, _ := json.Marshal(Lock{PID: 7, WorkspaceFolders: folders, Transport: "ws", AuthToken: "t"})
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.lock", i+1)), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			lock, err := Find(dir, test.cwd)
			if !errors.Is(err, test.err) || lock.Port != test.port {
				t.Errorf("got port %d, %v", lock.Port, err)
			}
		})
	}
}

func TestReadLock_RefusesBrokenFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"1.lock": "{", "x.lock": "{}"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLock(path); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
