// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"claudecoded/nvimbridge"
)

// version is set when a release is built: -ldflags "-X main.version=…".
var version string

// revisionLength is how many digits of a commit are shown.
const revisionLength = 12

// programVersion is version, else what the build recorded about itself.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	revision := settings["vcs.revision"]
	if info.Main.Version != "(devel)" || revision == "" {
		return strings.Trim(info.Main.Version, "()")
	}
	revision = revision[:min(len(revision), revisionLength)]
	if settings["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	return revision
}

type versionCommand struct {
	JSON bool `help:"Print one JSON object."`
}

// Run prints what the plugin and its health check want to know.
func (c *versionCommand) Run() error {
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			Version  string `json:"version"`
			Protocol int    `json:"protocol"`
			Go       string `json:"go"`
		}{programVersion(), nvimbridge.Protocol, runtime.Version()})
	}
	_, err := fmt.Printf("claudecoded %s\nprotocol %d\ngo %s\n",
		programVersion(), nvimbridge.Protocol, runtime.Version())
	return err
}
