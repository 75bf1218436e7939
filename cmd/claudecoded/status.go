// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/session"
)

// Status describes the server for the editor: what the sockets do, and what the protocol
// knows of whoever is at their other ends.
func (h host) Status() nvimbridge.Status {
	d := h.d
	status := nvimbridge.Status{UptimeMS: d.ago(d.began), Called: d.protocol.Called(), LeftOut: d.leftOut}
	if d.server == nil {
		return status
	}
	status.Running, status.Port = true, d.port
	if d.lock != nil {
		status.LockFile = d.lock.path
	}
	if last := d.server.LastUpgrade(); last.Number != 0 {
		status.LastUpgrade = &nvimbridge.UpgradeStatus{
			Client: last.Number, Accepted: last.Accepted, Reason: last.Reason, AgoMS: d.ago(last.At),
		}
	}
	told := map[uint64]mcp.ClientInfo{}
	for _, info := range d.protocol.Clients() {
		told[info.ID] = info
	}
	for _, info := range d.server.Clients() {
		client := d.clientStatus(info, told[info.Number])
		if !info.ConnectedAt.IsZero() {
			client.ConnectedMS, client.PongMS = d.ago(info.ConnectedAt), d.ago(info.LastPong)
			status.ClientCount++
		}
		status.Clients = append(status.Clients, client)
	}
	for _, g := range d.protocol.Guests() {
		status.Guests = append(status.Guests, nvimbridge.GuestStatus{
			ID: g.Client, Name: g.Name, Revision: g.Revision,
			AgeMS: d.ago(g.Began), HeardMS: d.ago(g.Heard), Calls: d.callStatus(g.Calls),
		})
	}
	for _, info := range d.server.HTTPClients() {
		status.Connections = append(status.Connections, nvimbridge.ConnectionStatus{
			ID: info.Number, AgeMS: d.ago(info.Since), Busy: info.Busy,
		})
	}
	return status
}

func (d *daemon) clientStatus(socket session.ClientInfo, told mcp.ClientInfo) nvimbridge.ClientStatus {
	return nvimbridge.ClientStatus{
		ID: socket.Number, State: socket.State, Unsent: socket.Queued,
		Name: told.Name, Version: told.Version, PID: told.PID,
		Calls: d.callStatus(d.protocol.InFlight(socket.Number)),
	}
}

func (d *daemon) callStatus(calls []mcp.CallInfo) (all []nvimbridge.CallStatus) {
	for _, call := range calls {
		all = append(all, nvimbridge.CallStatus{Tool: call.Tool, AgeMS: d.ago(call.Began), Waiting: call.Waits})
	}
	return all
}

// ago is how long ago a moment was, in milliseconds.
func (d *daemon) ago(moment time.Time) int64 { return d.loop.Now().Sub(moment).Milliseconds() }
