// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

const (
	// askTimeout is how long the user may take to answer a question.
	askTimeout = 10 * time.Minute
	// maxAsks is how many calls may wait for the user's permission, and maxAskBytes how
	// many bytes of arguments they may have.
	maxAsks     = 64
	maxAskBytes = 64 << 20
	// maxGrants is how many permissions are remembered until their clients leave.
	maxGrants = 1024
	// maxShown is how many bytes of a call's arguments the user is shown.
	maxShown = 4 << 10
)

// waitsForUser is what CallInfo says of a call that the user is asked about.
const waitsForUser = "waits for your permission"

// Asker asks the user. Its methods run on the loop goroutine and never wait.
type Asker interface {
	// Ask asks whether a call may run. It is answered by Server.Answer, unless Withdraw
	// comes first. One question is open at a time.
	Ask(q Question)
	// Withdraw takes the question about a call back.
	Withdraw(token uint64)
}

// Question is what the user is asked about.
type Question struct {
	Token uint64
	// Tool is the name by which the client called it.
	Tool string
	// Client is the caller's id, and Name what it calls itself, which may be empty.
	Client, Name string
	// Arguments is the beginning of their JSON text, and Size how many bytes it has.
	Arguments string
	Size      int
	// Paths are those that the call stands for, if a rule is about paths.
	Paths []string
	// Rule is the label of the rule that asks.
	Rule string
}

// Answer is what the user answers.
type Answer uint8

// The answers.
const (
	No         Answer = iota
	Once              // this call
	Session           // and what the same rule asks of the same tool and client, until it leaves
	Always            // and for good, which the editor remembers
	Unattended        // there is nobody to ask
)

var answers = [...]string{No: "deny", Once: "once", Session: "session", Always: "always", Unattended: "unattended"}

// String is the answer's name for the editor and in the audit log.
func (a Answer) String() string { return answers[a] }

// ParseAnswer reads an answer's name. Any other is No.
func ParseAnswer(name string) Answer { return Answer(max(0, slices.Index(answers[:], name))) }

// held is a call that policy has yet to let run, or that did not run at once.
type held struct {
	name      string // as the client's profile lists the tool
	names     toolNames
	tool      *Tool
	otherwise Action // what is done if no rule says anything
	arguments []byte
	paths     []string
	resolved  bool // paths are known
	verdict   verdict
	since     time.Time // when the user was to be asked; zero before
	waited    time.Duration
	answer    string   // the user's, "" if nobody was asked
	allowed   []string // rules because of which the user was asked and allowed it
	running   bool
}

// grant is a permission for as long as a client is there.
type grant struct{ client, tool, rule string }

// gatekeeper is what the server knows of permissions.
type gatekeeper struct {
	policy *Policy
	asker  Asker
	asks   []uint64 // tokens of the calls that wait for the user, oldest first
	asked  uint64   // the one of them that the user is asked about, or 0
	grants map[grant]bool
}

// SetPolicy replaces the rules. Calls that wait for the user are judged by the new ones;
// those that run go on. Loop goroutine.
func (s *Server) SetPolicy(p *Policy) {
	s.gate.policy = p
	s.review()
}

// submit has a call run as soon as policy allows it.
func (s *Server) submit(c *call, t *Tool, arguments []byte) {
	otherwise := t.policyOf(arguments)
	if s.gate.policy.empty() && otherwise == Allow {
		s.begin(c, t, arguments)
		return
	}
	names := namesOf(t.Name, c.client.profile.prefix)
	c.held = &held{name: names.seen, names: names, tool: t, otherwise: otherwise, arguments: arguments}
	s.judge(c)
}

// policyOf is what is done with a call that no rule of the user's is about.
func (t *Tool) policyOf(arguments []byte) Action {
	gives := func(name string) bool {
		value := member(arguments, name)
		return value != nil && string(value) != "null" && string(value) != `""`
	}
	if len(t.PolicyArgs) > 0 && !slices.ContainsFunc(t.PolicyArgs, gives) {
		return Allow
	}
	return t.Policy
}

// judge does with a call that does not run yet what policy says.
func (s *Server) judge(c *call) {
	h := c.held
	if s.needsPaths(h) {
		s.resolve(c)
		return
	}
	switch h.verdict = s.verdict(c); h.verdict.action {
	case Allow:
		s.release(c)
	case Ask:
		s.enqueue(c)
	default:
		s.deny(c, h.verdict.denial(h.name))
	}
}

func (s *Server) needsPaths(h *held) bool { return !h.resolved && s.gate.policy.readsPaths(h.names) }

func (s *Server) verdict(c *call) verdict {
	otherwise := verdict{action: c.held.otherwise, rule: "the default of " + c.held.name}
	return s.gate.policy.decide(c.held.names, c.held.paths, otherwise, func(rule string) bool {
		return slices.Contains(c.held.allowed, rule) || s.gate.grants[grant{c.client.name, c.held.name, rule}]
	})
}

// resolve asks the editor which files a call stands for: only it knows what its buffers
// and its folders are.
func (s *Server) resolve(c *call) {
	s.hand(c, Call{Tool: c.held.tool.Name, Args: bytes.Clone(c.held.arguments), Resolve: true})
}

// Resolved answers a Call that was to resolve: with the absolute paths that the call
// stands for, each in every form that leads to it, or with what is wrong. It is ignored if
// the call ended. Loop goroutine.
func (s *Server) Resolved(token uint64, paths []string, problem string) {
	c := s.calls[token]
	if c == nil || c.held == nil || c.held.resolved || c.held.running {
		return
	}
	c.stop()
	if problem = cmp.Or(problem, tooMuch(paths)); problem != "" {
		c.held.verdict = verdict{action: Deny}
		s.deny(c, fmt.Sprintf("%s was denied: a rule of the user's is about paths, and which ones the call stands for is not known: %s",
			c.held.name, problem))
		return
	}
	if paths == nil {
		paths = []string{} // which stands for none, and is not the same as unknown
	}
	c.held.paths, c.held.resolved = paths, true
	s.judge(c)
}

// tooMuch is what bound the paths of a call exceed, or "".
func tooMuch(paths []string) string {
	size, longest := 0, 0
	for _, p := range paths {
		size, longest = size+len(p), max(longest, len(p))
	}
	switch {
	case len(paths) > maxPaths:
		return fmt.Sprintf("it stands for more than %d", maxPaths)
	case longest > maxPath:
		return fmt.Sprintf("one has more than %d bytes", maxPath)
	case size > maxPathBytes:
		return fmt.Sprintf("they have more than %d bytes", maxPathBytes)
	}
	return ""
}

// release has a call run.
func (s *Server) release(c *call) {
	h := c.held
	h.running, c.waits = true, ""
	arguments := h.arguments
	h.arguments = nil
	if h.tool.Name == restTool {
		s.change(c.token, event{kind: finished, outcome: s.rests.read(c, arguments)})
		return
	}
	s.begin(c, h.tool, arguments)
}

// deny ends a call that does not run.
func (s *Server) deny(c *call, text string) {
	s.change(c.token, event{kind: denied, outcome: Outcome{Err: ToolError(text)}})
}

// denial says to a client whose rule stands against its call, and how the user lifts it.
func (v verdict) denial(name string) string {
	if v.invalid != "" {
		return fmt.Sprintf("%s was denied: the rule %s of the user's option permissions is invalid (%s), and denies until the user corrects it",
			name, v.rule, v.invalid)
	}
	if v.path {
		return fmt.Sprintf("%s was denied by %s. Only the user can change that rule, in the option permissions of mcp-tools; "+
			"a rule about paths goes before those about tools", name, v.rule)
	}
	return fmt.Sprintf("%s was denied by %s. %s", name, v.rule, remedy(name))
}

// remedy is how the user allows a tool.
func remedy(name string) string {
	return fmt.Sprintf(`The user can allow it with the option permissions of mcp-tools, for example { [%q] = "allow" }`, name)
}
