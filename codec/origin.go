// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"slices"
	"strings"
)

var (
	errOrigin = &Refusal{403, "Forbidden: the Origin is not loopback"}
	errHost   = &Refusal{403, "Forbidden: the Host is not loopback (--allowed-host accepts it)"}
)

// CheckOrigin keeps web pages out: a browser names the page in Origin, and the name
// the page was reached by in Host, even if that name was rebound to this machine.
// Neither may be anything but loopback, except that a Host may also be one of
// allowed (a name, or a name with its port). An absent one passes: the programs this
// server is for send no Origin.
func CheckOrigin(h *Head, allowed []string) *Refusal {
	for origin := range h.Values("Origin") {
		if !loopbackOrigin(strings.Trim(origin, blanks)) {
			return errOrigin
		}
	}
	for host := range h.Values("Host") {
		host = strings.Trim(host, blanks)
		name := withoutPort(host)
		if !loopback(name) && !slices.ContainsFunc(allowed, func(a string) bool {
			return a != "" && (strings.EqualFold(a, name) || strings.EqualFold(a, host))
		}) {
			return errHost
		}
	}
	return nil
}

func loopbackOrigin(origin string) bool {
	scheme, host, ok := strings.Cut(strings.ToLower(origin), "://")
	return ok && (scheme == "http" || scheme == "https") && loopback(withoutPort(host))
}

func loopback(name string) bool {
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "[::1]":
		return true
	}
	return false
}

// withoutPort cuts a port off host. What is not a port stays, and so matches nothing.
func withoutPort(host string) string {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || len(host)-i > len(":65535") || strings.Trim(host[i+1:], "0123456789") != "" {
		return host
	}
	return host[:i]
}
