// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

const (
	parseError     = `"error":{"code":-32700,"message":"Parse error","data":"Invalid JSON"}}`
	invalidRequest = `"error":{"code":-32600,"message":"Invalid Request","data":"Not a valid JSON-RPC 2.0 request"}}`
	emptyResult    = `"result":{}}`
)

// with is a whole answer from its id and the rest.
func with(id, rest string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + rest }

// ping1 is a ping with a member more.
func ping1(member string) string { return `{"jsonrpc":"2.0","id":1,"method":"ping",` + member + `}` }

func nested(open, shut string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(shut, n)
}

// hostile are messages and their answers; none is an answer too.
var hostile = map[string]struct{ send, want string }{
	"nothing":                      {``, with("null", parseError)},
	"blanks":                       {" \t\r\n ", with("null", parseError)},
	"a byte order mark":            {"\uFEFF" + request(1, "ping", ""), with("null", parseError)},
	"half an object":               {`{"jsonrpc":"2.0","id":1,"met`, with("null", parseError)},
	"two objects":                  {request(1, "ping", "") + request(2, "ping", ""), with("null", parseError)},
	"a scalar":                     {`17`, with("null", invalidRequest)},
	"null":                         {`null`, with("null", invalidRequest)},
	"a batch":                      {`[` + request(1, "ping", "") + `]`, with("null", invalidRequest)},
	"a version of its own":         {`{"jsonrpc":"2.1","id":"x","method":"ping"}`, with(`"x"`, invalidRequest)},
	"an object as id":              {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, with("null", invalidRequest)},
	"an array as method":           {`{"jsonrpc":"2.0","id":1,"method":["ping"]}`, with("1", invalidRequest)},
	"a number of three parts":      {`{"jsonrpc":"2.0","id":1.0.1,"method":"ping"}`, with("null", parseError)},
	"a number with a zero":         {ping1(`"x":01`), with("null", parseError)},
	"a number with a plus":         {ping1(`"x":+1`), with("null", parseError)},
	"a number that stops":          {ping1(`"x":1e`), with("null", parseError)},
	"a lonely minus":               {ping1(`"x":-`), with("null", parseError)},
	"NaN":                          {ping1(`"x":NaN`), with("null", parseError)},
	"Infinity":                     {ping1(`"x":-Infinity`), with("null", parseError)},
	"a number beyond all":          {ping1(`"x":1e999999999`), with("1", emptyResult)},
	"a huge id":                    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, with("9007199254740993", emptyResult)},
	"half a pair":                  {ping1(`"x":"\ud83e"`), with("null", parseError)},
	"the other half":               {ping1(`"x":"\udd2d"`), with("null", parseError)},
	"a pair turned round":          {ping1(`"x":"\udd2d\ud83e"`), with("null", parseError)},
	"half a pair as name":          {ping1(`"\uDEAD":1`), with("null", parseError)},
	"a whole pair":                 {ping1(`"x":"\ud83e\udd2d"`), with("1", emptyResult)},
	"an escape that is none":       {ping1(`"x":"\x41"`), with("null", parseError)},
	"a control character":          {ping1("\"x\":\"\x01\""), with("null", parseError)},
	"one before an escape":         {ping1("\"x\":\"\n\\n\""), with("null", parseError)},
	"one in a name":                {ping1("\"\x1f\\u0041\":1"), with("null", parseError)},
	"a NUL in the method":          {`{"jsonrpc":"2.0","id":1,"method":"ping\u0000"}`, with("1", `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: ping\u0000"}}`)},
	"a name twice":                 {`{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"id":2,"method":"nope","method":"ping"}`, with("2", emptyResult)},
	"128 levels":                   {ping1(`"x":` + nested("[", "]", 127)), with("1", emptyResult)},
	"129 levels":                   {ping1(`"x":` + nested("[", "]", 128)), with("null", invalidRequest)},
	"129 levels of objects":        {ping1(`"x":` + strings.Repeat(`{"x":`, 128) + "1" + strings.Repeat("}", 128)), with("null", invalidRequest)},
	"16 KiB of brackets":           {strings.Repeat("[", 16<<10), with("null", invalidRequest)},
	"8 MiB of brackets":            {strings.Repeat("[", 8<<20), with("null", invalidRequest)},
	"4 MiB of ones":                {ping1(`"x":[` + strings.Repeat("1,", 2<<20) + `1]`), with("null", invalidRequest)},
	"4 MiB of empty objects":       {ping1(`"x":[` + strings.Repeat("{},", 4<<20/3) + `{}]`), with("null", invalidRequest)},
	"4 MiB of quotes":              {ping1(`"x":"` + strings.Repeat(`\"`, 2<<20) + `"`), with("1", emptyResult)},
	"4 MiB of backslashes":         {ping1(`"x":"` + strings.Repeat(`\`, 4<<20+1)), with("null", parseError)},
	"a name of 1 MiB":              {ping1(`"` + strings.Repeat("n", 1<<20) + `":1`), with("1", emptyResult)},
	"a number of 1 MiB":            {ping1(`"x":` + strings.Repeat("1", 1<<20)), with("1", emptyResult)},
	"a tool of 1 MiB":              {call(1, strings.Repeat("n", 1<<20), "{}"), with("1", `"error":{"code":-32601,"message":"Tool not found: `+strings.Repeat("n", 256)+`"}}`)},
	"a tool that is none":          {call(1, "no such", "{}"), with("1", `"error":{"code":-32601,"message":"Tool not found: no such"}}`)},
	"arguments in a string":        {call(1, "openFile", `"{}"`), with("1", `"error":{"code":-32602,"message":"Invalid params","data":"params.arguments must be an object"}}`)},
	"a path that holds a NUL":      {call(1, "openFile", `{"filePath":"/\u0000"}`), with("1", `"error":{"code":-32000,"message":"File operation error","data":"File not found: /\u0000"}}`)},
	"a notification":               {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
	"an unknown notification":      {`{"jsonrpc":"2.0","method":"notifications/` + strings.Repeat("x", 1<<20) + `"}`, ""},
	"an answer to nothing":         {`{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
	"a cancellation of nothing":    {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ""},
	"null in place of all members": {`{"jsonrpc":null,"id":null,"method":null,"params":null}`, with("null", invalidRequest)},
}

// Each message gets its answer, and the connection does not notice.
func TestHostile_JSONIsAnsweredAndTheLinkStaysUp(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	for name, m := range hostile {
		c.Send(say(m.send))
		if m.want != "" {
			first, payload := c.ReadFrame()
			if first != wire.Text || string(payload) != m.want {
				t.Fatalf("%s: frame %X %.300q, want %.300q", name, first, payload, m.want)
			}
		}
		answers(c)
	}
	if lines := append(d.Lines("level=WARN"), d.Lines("level=ERROR")...); len(lines) > 0 {
		t.Errorf("the log says %.1000q", lines)
	}
}

// alphabet is what mutations are made of.
const alphabet = `{}[]",:\ud83e0123.-+eE"id"nulltruefalse` + " \n"

// mutate changes a few places of a message; it stays UTF-8.
func mutate(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b) + 1)
		switch r.IntN(4) {
		case 0:
			b = slices.Insert(b, at, alphabet[r.IntN(len(alphabet))])
		case 1:
			b = b[:at]
		case 2:
			from, to := r.IntN(len(b)+1), r.IntN(len(b)+1)
			b = slices.Insert(b, at, slices.Clone(b[min(from, to):max(from, to)])...)
		case 3:
			if at < len(b) {
				b[at] = alphabet[r.IntN(len(alphabet))]
			}
		}
	}
	return string(b)
}

// mutations is how many messages are tried; more when there is time.
var mutations = 2000

// What encoding/json calls invalid is answered as such, and the other way round.
func TestHostile_MutatedMessagesAreAnsweredAsTheyDeserve(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	seeds := []string{
		request(1, "ping", `{"a":[1,2.5,-0,1e3,{"b":null,"c":"\ud83e\udd2d"}]}`),
		request(1, "initialize", `{"protocolVersion":"2025-06-18","clientInfo":{"name":"x","version":"1"}}`),
		call(1, "getWorkspaceFolders", `{"filePath":"/nowhere","startLine":1}`),
		call(1, "getDiagnostics", `{"uri":"file:///nowhere"}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
	}
	for range mutations {
		text := mutate(r, seeds[r.IntN(len(seeds))])
		c.Send(say(text), say(`{"jsonrpc":"2.0","id":"end","method":"ping"}`))
		replies := until(c, `{"jsonrpc":"2.0","id":"end","result":{}}`)
		if err := deserved(text, replies); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

// until reads messages up to that one.
func until(c *wire.Conn, end string) (replies []string) {
	for {
		_, payload := c.ReadFrame()
		if string(payload) == end {
			return replies
		}
		replies = append(replies, string(payload))
	}
}

// deserved judges the answers to a message. A call may be answered after the message that
// followed it, and then its answer is judged with the next one: at most one comes late.
func deserved(text string, replies []string) error {
	if len(replies) > 2 {
		return fmt.Errorf("%d answers: %.300q", len(replies), replies)
	}
	parse := 0
	for _, reply := range replies {
		var m struct {
			JSONRPC       string
			ID            any
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(reply), &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
			return fmt.Errorf("answered %.300q, %v", reply, err)
		}
		if strings.Contains(reply, parseError) {
			parse++
		}
	}
	if valid := json.Valid([]byte(text)) && !loneSurrogate(text); valid == (parse > 0) {
		return fmt.Errorf("valid is %v, the answers are %.300q", valid, replies)
	}
	return nil
}

// loneSurrogate reports half a pair, which encoding/json takes for U+FFFD.
func loneSurrogate(text string) bool {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return false
	}
	b, err := json.Marshal(v)
	return err != nil || strings.Contains(string(b), "\uFFFD")
}
