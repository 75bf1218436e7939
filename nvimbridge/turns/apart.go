// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// settings are what is taken over of a user's and a repository's configuration: how files
// are compared and converted, and nothing that names a program, a host or a repository.
const settings = `^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|` +
	`excludesfile|attributesfile|sparsecheckout|sparsecheckoutcone|longpaths|checkroundtripencoding)$`

// sha256Commit is the length of a commit's name in a repository of that format.
const sha256Commit = 64

// apart is the same work tree in a repository of our own, which has the objects and the
// index of the other, and of its configuration the settings. Who may write into a
// repository can have git run programs, as filters, monitors, hooks or transports; a list
// of what to switch off could be outrun between reading it and using it. So git does not
// read that configuration at all. remove is called when the repository is not used any more.
func (g git) apart(ctx context.Context, commit string) (own git, remove func(), err error) {
	options, err := g.settings(ctx)
	if err != nil {
		return git{}, nil, err
	}
	dir, err := os.MkdirTemp(scratch(), "git-")
	if err != nil {
		return git{}, nil, fmt.Errorf("making a repository: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := g.furnish(ctx, dir, commit); err != nil {
		remove()
		return git{}, nil, fmt.Errorf("making a repository: %w", err)
	}
	none := filepath.Join(dir, "none")
	return git{folder: g.folder, dir: dir, common: dir, options: options, env: []string{
		"GIT_DIR=" + dir, "GIT_WORK_TREE=" + g.folder,
		"GIT_INDEX_FILE=" + filepath.Join(g.dir, "index"), "GIT_OBJECT_DIRECTORY=" + filepath.Join(g.common, "objects"),
		"GIT_CONFIG_GLOBAL=" + none, "GIT_CONFIG_SYSTEM=" + none, "GIT_CONFIG_NOSYSTEM=1",
	}}, remove, nil
}

// settings are options for what the configuration says.
func (g git) settings(ctx context.Context) ([]string, error) {
	parts, err := g.names(ctx, "config", "-z", "--get-regexp", settings)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil, nil // it says nothing
	} else if err != nil {
		return nil, err
	}
	last := map[string]string{}
	for _, part := range parts {
		name, value, given := strings.Cut(part, "\n")
		if !given {
			value = "true"
		}
		last[name] = value
	}
	var options []string
	for name, value := range last {
		options = append(options, "-c", name+"="+value)
	}
	return options, nil
}

// scratch is a folder that, unlike that of temporary files, others are not let write into.
// Empty if there is none.
func scratch() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder := filepath.Join(cache, "claudecoded")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return folder
}

// furnish makes a folder a repository that is at a commit, and that ignores what the other
// does.
func (g git) furnish(ctx context.Context, dir, commit string) error {
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
	if len(commit) == sha256Commit {
		config += "[extensions]\n\tobjectformat = sha256\n"
	}
	errs := []error{
		os.Mkdir(filepath.Join(dir, "refs"), 0o700), os.Mkdir(filepath.Join(dir, "info"), 0o700),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte(commit+"\n"), 0o600),
	}
	for _, name := range []string{"info/exclude", "info/attributes"} {
		name = filepath.FromSlash(name)
		if content := read(ctx, filepath.Join(g.common, name)).Bytes(); content != nil {
			errs = append(errs, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
	}
	return errors.Join(errs...)
}
