// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

const (
	// maxAnswer is how many bytes one message of the server may have: more than the 16 MiB
	// that the server keeps to.
	maxAnswer = 32 << 20
	// silence is how long a response may stay without a byte; the server has something to
	// say every 15 s.
	silence = 60 * time.Second
)

var (
	errTooLong = errors.New("the server's message is too long")
	errSilent  = errors.New("the server says nothing any more")
)

// readEvents reads a stream of server-sent events (HTML, 9.2.6) to its end and hands on
// the data of each. Data is take's.
func readEvents(in io.Reader, take func(data []byte)) error {
	r := bufio.NewReader(in)
	var data []byte
	for {
		line, err := readLine(r, maxAnswer)
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0 && data != nil:
			take(data)
			data = nil
		case string(field) == "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
			if len(data) > maxAnswer {
				return errTooLong
			}
		}
	}
}

// readLine reads a line without its end, into memory of its own. What the last line of
// the input lacks is its end. A line that is too long is passed over.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > limit+len("\n"):
			if err == bufio.ErrBufferFull {
				err = skipLine(r)
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			return nil, errTooLong
		case err == bufio.ErrBufferFull:
		case err != nil && len(line) == 0:
			return nil, err
		case err != nil && err != io.EOF:
			return nil, err
		default:
			return bytes.TrimRight(line, "\r\n"), nil
		}
	}
}

// readAll reads an answer that is not a stream.
func readAll(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if len(text) > maxAnswer {
		return nil, errTooLong
	}
	return text, err
}

// skipLine passes over the rest of a line.
func skipLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// impatient is a response's body that is given up when it stays silent.
type impatient struct {
	io.Reader
	timer *time.Timer
}

func newImpatient(body io.Reader, giveUp func()) impatient {
	return impatient{body, time.AfterFunc(silence, giveUp)}
}

func (i impatient) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	i.timer.Reset(silence)
	if err != nil {
		i.timer.Stop()
	}
	return n, err
}
