// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"claudecoded/mcp"
)

// maxFile is the size in bytes of the largest file that is opened.
const maxFile = 16 << 20

var (
	errNoFile  = errors.New("not found")
	errTooLong = errors.New("too large")
)

// opening is the arguments of openFile, and the path as it is shown.
type opening struct {
	FilePath           *string
	StartLine, EndLine *int
	StartText, EndText string
	MakeFrontmost      *bool
	shown              string
}

// openFile reads and searches the file on a goroutine of its own, for a disk may
// take its time.
func (e *Editor) openFile(args []byte, done func(mcp.Outcome)) {
	var o opening
	if err := json.Unmarshal(args, &o); err != nil {
		done(invalid("an argument has the wrong type"))
		return
	}
	if o.FilePath == nil {
		done(invalid("Missing filePath parameter"))
		return
	}
	o.shown = expandHome(*o.FilePath)
	path := e.absolute(*o.FilePath)
	go func() {
		e.reads <- struct{}{}
		text, err := read(path)
		outcome := o.outcome(text, err)
		<-e.reads
		e.cfg.Post(func() {
			if err == nil && !slices.Contains(e.files, path) {
				e.files = append(e.files, path)
			}
			done(outcome)
		})
	}()
}

// read returns a file whole. What is no regular file counts as none: to open a
// pipe would wait for its writer.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errNoFile
	}
	defer f.Close()
	if info.Size() > maxFile {
		return nil, errTooLong
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1)) // it may have grown
	switch {
	case err != nil:
		return nil, errNoFile
	case len(text) > maxFile:
		return nil, errTooLong
	}
	return text, nil
}

func (o *opening) outcome(text []byte, err error) mcp.Outcome {
	if err != nil {
		return failed(&mcp.Error{Code: codeTool, Message: "File operation error", Data: quoted("File " + err.Error() + ": " + o.shown)})
	}
	if o.MakeFrontmost != nil && !*o.MakeFrontmost {
		return object(struct {
			Success    bool   `json:"success"`
			FilePath   string `json:"filePath"`
			LanguageID string `json:"languageId"`
			LineCount  int    `json:"lineCount"`
		}{true, o.shown, "", lines(text)})
	}
	switch {
	case o.StartText != "":
		return plain(found(string(text), o.StartText, o.EndText))
	case o.StartLine != nil || o.EndLine != nil:
		start := clamp(o.StartLine, 1, lines(text))
		end := clamp(o.EndLine, start, lines(text))
		return plain("Opened file and selected lines " + strconv.Itoa(start) + " to " + strconv.Itoa(end))
	}
	return plain("Opened file: " + o.shown)
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
