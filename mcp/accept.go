// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"strconv"
	"strings"
)

// accepted is which responses a client takes.
type accepted struct{ json, events bool }

// readAccept reads an Accept field (RFC 9110, 12.5.1). None at all takes everything.
func readAccept(value string, present bool) accepted {
	if !present {
		return accepted{true, true}
	}
	var a accepted
	for part := range strings.SplitSeq(value, ",") {
		media, parameters, _ := strings.Cut(part, ";")
		if isRefused(parameters) {
			continue
		}
		switch media = strings.TrimSpace(media); {
		case media == "*/*":
			return accepted{true, true}
		case strings.EqualFold(media, typeJSON), strings.EqualFold(media, "application/*"):
			a.json = true
		case strings.EqualFold(media, typeEvents), strings.EqualFold(media, "text/*"):
			a.events = true
		}
	}
	return a
}

// isRefused reports whether the parameters of a media range give it the weight 0.
func isRefused(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && q == 0
		}
	}
	return false
}

// isJSON reports whether a Content-Type names JSON, with whatever parameters.
func isJSON(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(media), typeJSON)
}
