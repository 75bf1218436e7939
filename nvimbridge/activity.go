// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

// Activity answers PROTOCOL.md's activity.
type Activity struct {
	Now     []CallNow    `msgpack:"now"`
	Past    []CallPast   `msgpack:"past"`
	Clients []ClientName `msgpack:"clients"`
}

// ClientName is a client and what it calls itself, which may be empty.
type ClientName struct {
	Client string `msgpack:"client"`
	Name   string `msgpack:"name"`
}

// CallNow is a call in flight.
type CallNow struct {
	ClientName
	CallStatus
}

// CallPast is a call that ended; durations are in milliseconds.
type CallPast struct {
	ClientName
	Tool string `msgpack:"tool"`
	// AgoMS is how long ago it ended.
	AgoMS    int64  `msgpack:"ago_ms"`
	TookMS   int64  `msgpack:"took_ms"`
	WaitedMS int64  `msgpack:"waited_ms"`
	Outcome  string `msgpack:"outcome"`
	Rule     string `msgpack:"rule"`
	In       int    `msgpack:"bytes_in"`
	Out      int    `msgpack:"bytes_out"`
}

// readActivity reads the question of the view that shows what clients do.
func readActivity(m *message) (action, error) {
	var id int64
	if err := m.require(want{"id", &id}); err != nil {
		return nil, err
	}
	return func(b *Bridge) {
		a := b.host.Activity()
		a.Now, a.Past, a.Clients = list(a.Now), list(a.Past), list(a.Clients)
		b.tell("activity", id, &a)
	}, nil
}
