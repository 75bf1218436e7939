// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"claudecoded/mcp"
)

const (
	codeInvalidParams = -32602
	codeNotOpen       = -32001
	codeTool          = -32000
)

type tool struct {
	name, description, schema string
	run                       func(e *Editor, args []byte) mcp.Outcome
}

var tools = []tool{
	{"getWorkspaceFolders", "Get the folders that are open in the editor",
		schema(`{}`), (*Editor).getWorkspaceFolders},
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
		(*Editor).getDiagnostics},
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

func (e *Editor) openFile(args []byte) mcp.Outcome {
	var a struct {
		FilePath           *string
		StartLine, EndLine *int
		StartText, EndText string
		MakeFrontmost      *bool
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return invalid("an argument has the wrong type")
	}
	if a.FilePath == nil {
		return invalid("Missing filePath parameter")
	}
	shown, path := expandHome(*a.FilePath), e.absolute(*a.FilePath)
	text, err := os.ReadFile(path) // fails for a folder too
	if err != nil {
		return failed(&mcp.Error{Code: codeTool, Message: "File operation error", Data: quoted("File not found: " + shown)})
	}
	if !slices.Contains(e.files, path) {
		e.files = append(e.files, path)
	}
	if a.MakeFrontmost != nil && !*a.MakeFrontmost {
		return object(struct {
			Success    bool   `json:"success"`
			FilePath   string `json:"filePath"`
			LanguageID string `json:"languageId"`
			LineCount  int    `json:"lineCount"`
		}{true, shown, "", lines(text)})
	}
	switch {
	case a.StartText != "":
		return plain(found(string(text), a.StartText, a.EndText))
	case a.StartLine != nil || a.EndLine != nil:
		start := clamp(a.StartLine, 1, lines(text))
		end := clamp(a.EndLine, start, lines(text))
		return plain("Opened file and selected lines " + strconv.Itoa(start) + " to " + strconv.Itoa(end))
	}
	return plain("Opened file: " + shown)
}

// found says what a search for the texts comes to: the end is looked for from the
// line of the start on.
func found(text, from, to string) string {
	start := strings.Index(text, from)
	if start < 0 {
		return `Opened file, but text "` + from + `" not found`
	}
	line := strings.LastIndexByte(text[:start], '\n') + 1
	switch {
	case to == "":
		return `Opened file and selected text "` + from + `"`
	case !strings.Contains(text[line:], to):
		return `Opened file and positioned at "` + from + `" (end text "` + to + `" not found)`
	}
	return `Opened file and selected text from "` + from + `" to "` + to + `"`
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

// lines counts as an editor does: the last line's end starts no further one.
func lines(text []byte) int {
	return bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
}

// clamp is a line number between low, which is also its default, and high.
func clamp(line *int, low, high int) int {
	if line == nil {
		return low
	}
	return min(max(*line, low), high)
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
