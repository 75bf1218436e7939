// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// tokenVariable is where clients that cannot run a command find the token.
const tokenVariable = "CLAUDECODED_TOKEN"

type configCommand struct {
	Client string `arg:"" enum:"claude,opencode,cursor,vscode,codex,zed" help:"claude, opencode, cursor, vscode, codex or zed."`
	HTTP   bool   `name:"http" help:"The form with a URL, which needs a server that always has the same port."`
	Port   uint16 `placeholder:"N" help:"The port for --http. By default that of the editor for the working folder."`
}

// Validate refuses a port that would be ignored.
func (c *configCommand) Validate() error {
	if c.Port != 0 && !c.HTTP {
		return errors.New("--port is the port of the URL: give --http too, or leave it out, since the stdio form finds the editor by itself")
	}
	return nil
}

// Run prints the configuration on stdout, and where it belongs on stderr.
func (c *configCommand) Run() error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	passing := c.HTTP && c.Port == 0
	if passing {
		editor, err := editorChoice{}.find()
		if err != nil {
			return fmt.Errorf("which port? Give --port: %w", err)
		}
		c.Port = uint16(editor.Port)
	}
	if err := c.write(os.Stdout, os.Stderr, program); err != nil || !passing {
		return err
	}
	_, err = fmt.Fprintf(os.Stderr, ownPort, c.Port)
	return err
}

// ownPort is what a port that was looked up lacks: the next editor may have another one.
const ownPort = "Port %[1]d is the one of the editor that runs now. To have it always, set port_range = { min = %[1]d, max = %[1]d } in setup() of claudecode.\n"

func (c *configCommand) write(out, notes io.Writer, program string) error {
	client := mcpClients[c.Client]
	entry, put := client.stdio, client.where
	if c.HTTP {
		entry = client.url
		put += client.secret
	}
	if entry == nil {
		return errors.New("this client can be given a URL only with the token in its file; use the stdio form")
	}
	text, err := client.format(entry(program, int(c.Port)))
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(notes, put)
	return err
}

// settings is a part of a configuration file; the keys keep their order.
type settings []setting

type setting struct {
	key   string
	value any
}

// MarshalJSON writes an object.
func (s settings) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, member := range s {
		key, err := json.Marshal(member.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(member.value)
		if err != nil {
			return nil, err
		}
		separator := ","
		if i == 0 {
			separator = "{"
		}
		fmt.Fprintf(&b, "%s%s:%s", separator, key, value)
	}
	if len(s) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func formatJSON(s settings) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// formatTOML writes one table. What JSON knows as a string or a list of strings is one
// in TOML too (TOML 1.0, "Basic string").
func formatTOML(s settings) ([]byte, error) {
	table, ok := s[0].value.(settings)
	if !ok {
		return nil, errors.New("no table")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "[%s]\n", s[0].key)
	for _, member := range table {
		value, err := json.Marshal(member.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s = %s\n", member.key, value)
	}
	return b.Bytes(), nil
}

// mcpClient is how a client is told of a server: with a command that it starts, or with a
// URL, unless that needs the token in the file.
type mcpClient struct {
	stdio, url    func(program string, port int) settings
	format        func(settings) ([]byte, error)
	where, secret string
}

const (
	serverName = "nvim"
	bearer     = "Bearer "
	inVariable = "\n" + tokenVariable + " in the client's environment must be the token: what \"claudecoded headers\" prints after Bearer."
)

// in puts an entry below keys, the outermost first.
func in(entry any, keys ...string) settings {
	for i := len(keys) - 1; i >= 0; i-- {
		entry = settings{{keys[i], entry}}
	}
	return entry.(settings)
}

func authorization(value string) settings { return settings{{"Authorization", bearer + value}} }

func urlOf(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) + "/mcp" }

// command starts the program. more are arguments for clients that do not start it in the
// project's folder.
func command(program string, more ...string) settings {
	return settings{{"command", program}, {"args", append([]string{"stdio"}, more...)}}
}

// finding are the variables by which an editor is found. Codex hands on few others.
var finding = []string{"NVIM", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"}

// inProject names the project's folder in the files of VS Code and what came of it.
var inProject = []string{"--cwd", "${workspaceFolder}"}

// mcpClients is what the clients' documentation says of their files.
var mcpClients = map[string]mcpClient{
	"claude": {
		stdio: func(program string, _ int) settings {
			return in(append(settings{{"type", "stdio"}}, command(program)...), "mcpServers", serverName)
		},
		url: func(program string, port int) settings {
			return in(settings{{"type", "http"}, {"url", urlOf(port)}, {"headersHelper", shellWord(program) + " headers --port " + strconv.Itoa(port)}},
				"mcpServers", serverName)
		},
		format: formatJSON,
		where:  "Put it into .mcp.json in the project, or pass it with --mcp-config='…'. In Neovim's own terminal the plugin does that by itself.",
	},
	"opencode": {
		stdio: func(program string, _ int) settings {
			return in(settings{{"type", "local"}, {"command", []string{program, "stdio"}}, {"enabled", true}}, "mcp", serverName)
		},
		url: func(_ string, port int) settings {
			return in(settings{
				{"type", "remote"}, {"url", urlOf(port)}, {"enabled", true}, {"oauth", false},
				{"headers", authorization("{env:" + tokenVariable + "}")},
			}, "mcp", serverName)
		},
		format: formatJSON,
		where:  "Put it into opencode.json in the project, or into ~/.config/opencode/opencode.json. If that file has \"mcp\": {\"servers\": …}, put the entry there.",
		secret: inVariable,
	},
	"cursor": {
		stdio: func(program string, _ int) settings {
			return in(command(program, inProject...), "mcpServers", serverName)
		},
		url: func(_ string, port int) settings {
			return in(settings{{"url", urlOf(port)}, {"headers", authorization("${env:" + tokenVariable + "}")}}, "mcpServers", serverName)
		},
		format: formatJSON,
		where:  "Put it into .cursor/mcp.json in the project, or into ~/.cursor/mcp.json.",
		secret: inVariable,
	},
	"vscode": {
		stdio: func(program string, _ int) settings {
			return in(append(settings{{"type", "stdio"}}, command(program, inProject...)...), "servers", serverName)
		},
		url: func(_ string, port int) settings {
			const input = "claudecoded-token"
			return append(settings{{"inputs", []settings{{
				{"type", "promptString"}, {"id", input}, {"description", "Token of the Neovim server"}, {"password", true},
			}}}}, in(settings{{"type", "http"}, {"url", urlOf(port)}, {"headers", authorization("${input:" + input + "}")}}, "servers", serverName)...)
		},
		format: formatJSON,
		where:  "Put it into .vscode/mcp.json in the project, or into the one that the command \"MCP: Open User Configuration\" opens.",
		secret: "\nVS Code asks for the token: what \"claudecoded headers\" prints after Bearer.",
	},
	"codex": {
		stdio: func(program string, _ int) settings {
			return in(append(command(program), setting{"env_vars", finding}), "mcp_servers."+serverName)
		},
		url: func(_ string, port int) settings {
			return in(settings{{"url", urlOf(port)}, {"bearer_token_env_var", tokenVariable}}, "mcp_servers."+serverName)
		},
		format: formatTOML,
		where:  "Put it into ~/.codex/config.toml, or into .codex/config.toml in a trusted project.",
		secret: inVariable,
	},
	"zed": {
		stdio: func(program string, _ int) settings {
			return in(append(command(program), setting{"env", settings{}}), "context_servers", serverName)
		},
		format: formatJSON,
		where:  "Put it into Zed's settings.json (the command \"zed: open settings file\"), or into .zed/settings.json in the project.",
	},
}

// shellWord is a path as one word of a POSIX shell.
func shellWord(path string) string {
	plain := true
	for _, c := range filepath.ToSlash(path) {
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_' || c == ':')
	}
	if plain {
		return path
	}
	return "'" + string(bytes.ReplaceAll([]byte(path), []byte("'"), []byte(`'\''`))) + "'"
}
