// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package lua carries the plugin's Lua inside the binary, so that a daemon that
// stands alone can put it on the runtimepath of the editor it attaches to or spawns.
package lua

import "embed"

// FS holds the folders claudecode and mcp-tools, as they stand below lua/ in a
// runtimepath entry.
//
//go:embed claudecode mcp-tools
var FS embed.FS
