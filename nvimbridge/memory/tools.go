// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"claudecoded/mcp"
)

const (
	codeInvalidParams = -32602
	codeNotOpen       = -32001
	codeTool          = -32000
)

// runner runs a tool on the loop goroutine, and calls done there, once.
type runner func(e *Editor, args []byte, done func(mcp.Outcome))

type tool struct {
	name, description, schema string
	run                       runner
}

var tools = []tool{
	{"getWorkspaceFolders", "Get the folders that are open in the editor",
		schema(`{}`), atOnce((*Editor).getWorkspaceFolders)},
	{"openFile", "Open a file in the editor and optionally select a range of lines or text",
		schema(`{"filePath":{"type":"string","description":"Path of the file to open"},`+
			`"startLine":{"type":"integer","description":"First line to select, from 1"},`+
			`"endLine":{"type":"integer","description":"Last line to select"},`+
			`"startText":{"type":"string","description":"Text at which the selection starts"},`+
			`"endText":{"type":"string","description":"Text at which the selection ends"},`+
			`"makeFrontmost":{"type":"boolean","description":"Show the file","default":true}}`, "filePath"),
		(*Editor).openFile},
	{"getDiagnostics", "Get language diagnostics of a file that is open in the editor, or of all of them",
		schema(`{"uri":{"type":"string","description":"URI of the file; without it, all files"}}`),
		atOnce((*Editor).getDiagnostics)},
	// For benchmarks: without a schema, a tool is called but not listed.
	{"mentionMany", "", "", atOnce((*Editor).mentionMany)},
	{"usage", "", "", (*Editor).usage},
}

// atOnce is the runner of a tool that need not wait.
func atOnce(run func(e *Editor, args []byte) mcp.Outcome) runner {
	return func(e *Editor, args []byte, done func(mcp.Outcome)) { done(run(e, args)) }
}

// answer is a runner that knows its outcome.
func answer(o mcp.Outcome) runner {
	return atOnce(func(*Editor, []byte) mcp.Outcome { return o })
}

func schema(properties string, required ...string) string {
	s := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":` + properties
	if len(required) > 0 {
		s += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return s + "}"
}

func (e *Editor) getWorkspaceFolders([]byte) mcp.Outcome {
	type folder struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Path string `json:"path"`
	}
	path := e.cfg.Folder
	return object(struct {
		Success  bool     `json:"success"`
		Folders  []folder `json:"folders"`
		RootPath string   `json:"rootPath"`
	}{true, []folder{{filepath.Base(path), "file://" + path, path}}, path})
}

// getDiagnostics knows of no fault in any file.
func (e *Editor) getDiagnostics(args []byte) mcp.Outcome {
	var a struct{ URI string }
	if err := json.Unmarshal(args, &a); err != nil {
		return invalid("uri must be a string")
	}
	if a.URI != "" && !e.isOpen(a.URI) {
		path := strings.TrimPrefix(a.URI, "file://")
		return failed(&mcp.Error{Code: codeNotOpen, Message: "File not open",
			Data: quoted("File must be open to retrieve diagnostics: " + path)})
	}
	return object([]struct{}{})
}

// isOpen takes a path or a URI; Claude sends file:// and the path unencoded.
func (e *Editor) isOpen(uri string) bool {
	path, isURI := strings.CutPrefix(uri, "file://")
	if slices.Contains(e.files, e.absolute(path)) {
		return true
	}
	decoded, err := url.PathUnescape(path)
	return isURI && err == nil && slices.Contains(e.files, e.absolute(decoded))
}

// plain is a result of one text.
func plain(text string) mcp.Outcome {
	type item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return mcp.Outcome{Result: encode(struct {
		Content []item `json:"content"`
	}{[]item{{"text", text}}})}
}

// object is a result of one text, which is JSON.
func object(v any) mcp.Outcome { return plain(string(encode(v))) }

func failed(err *mcp.Error) mcp.Outcome { return mcp.Outcome{Err: err} }

func invalid(detail string) mcp.Outcome {
	return failed(&mcp.Error{Code: codeInvalidParams, Message: "Invalid params", Data: quoted(detail)})
}

func quoted(s string) []byte { return encode(s) }

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("memory: " + err.Error()) // only what this file builds comes here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
