// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"claudecoded/mcp"
	"claudecoded/nvimbridge"
)

func (h host) Policy(p *mcp.Policy, audit nvimbridge.AuditOptions) {
	h.d.protocol.SetPolicy(p)
	h.d.audit.configure(audit)
}

func (h host) Answer(token uint64, answer mcp.Answer) { h.d.protocol.Answer(token, answer) }

func (h host) Revoke() { h.d.protocol.Revoke() }

func (h host) Resolved(token uint64, paths []string, problem string) {
	h.d.protocol.Resolved(token, paths, problem)
}

// Activity describes what clients do, for the editor.
func (h host) Activity() (a nvimbridge.Activity) {
	now, past, peers := h.d.protocol.Activity()
	for _, f := range now {
		a.Now = append(a.Now, nvimbridge.CallNow{
			ClientName: nvimbridge.ClientName{Client: f.Client, Name: f.Name},
			CallStatus: nvimbridge.CallStatus{Tool: f.Tool, AgeMS: h.d.ago(f.Began), Waiting: f.Waits},
		})
	}
	for _, r := range past {
		a.Past = append(a.Past, nvimbridge.CallPast{
			ClientName: nvimbridge.ClientName{Client: r.Client, Name: r.Name},
			Tool:       r.Tool, AgoMS: h.d.ago(r.Began.Add(r.Took)), TookMS: r.Took.Milliseconds(),
			WaitedMS: r.Waited.Milliseconds(), Outcome: r.Outcome, Rule: r.Rule, In: r.In, Out: r.Out,
		})
	}
	for _, p := range peers {
		a.Clients = append(a.Clients, nvimbridge.ClientName(p))
	}
	return a
}
