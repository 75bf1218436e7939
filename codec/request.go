// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"crypto/subtle"
	"strconv"
	"strings"
)

// Chunked is the Length of a body that comes in chunks, NoLength that of a request that
// announced no body.
const (
	Chunked  = -1
	NoLength = -2
)

// Request is the head of an HTTP/1.1 request that keeps every rule of RFC 9112: whoever
// reads it behind or before us sees the same request.
type Request struct {
	Method, Path, Query string
	// Length is the body's in bytes, or Chunked, or NoLength.
	Length int
	// Close says that the client sends no request after this one.
	Close bool
	// Continue says that the client may wait for a 100 before it sends the body.
	Continue bool

	fields []Field
}

// Path is the path of the request target, without the query and, in absolute form
// (RFC 9112, 3.2.2), without the authority.
func (h *Head) Path() string {
	_, path, _ := splitTarget(h.Target)
	return path
}

func splitTarget(target string) (authority, path, query string) {
	const scheme = "http://"
	if len(target) >= len(scheme) && strings.EqualFold(target[:len(scheme)], scheme) {
		target = target[len(scheme):]
		end := strings.IndexAny(target, "/?")
		if end < 0 {
			end = len(target)
		}
		authority, target = target[:end], target[end:]
		if !strings.HasPrefix(target, "/") {
			target = "/" + target
		}
	}
	path, query, _ = strings.Cut(target, "?")
	return authority, path, query
}

// ParseRequest reads a head strictly. A Refusal says what is wrong: then nothing behind
// the head can be trusted, and the connection is to be closed.
func ParseRequest(h *Head) (*Request, *Refusal) {
	if fault := h.Fault(); fault != "" {
		return nil, badRequest(fault)
	}
	r := &Request{Method: h.Method}
	authority, path, query := splitTarget(h.Target)
	r.Path, r.Query = path, query
	if h.header != "" {
		for line := range strings.SplitSeq(strings.TrimPrefix(h.header, "\r\n"), "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			r.fields = append(r.fields, Field{name, strings.Trim(value, " \t")})
		}
	}
	host := r.values("Host")
	if len(host) != 1 || authority != "" && !strings.EqualFold(authority, host[0]) {
		return nil, badRequest("Missing or ambiguous Host header")
	}
	if ref := r.frame(); ref != nil {
		return nil, ref
	}
	for _, list := range r.values("Connection") {
		for option := range strings.SplitSeq(list, ",") {
			r.Close = r.Close || strings.EqualFold(strings.Trim(option, " \t"), "close")
		}
	}
	if expect, ok := r.Get("Expect"); ok {
		if !strings.EqualFold(expect, "100-continue") {
			return nil, &Refusal{417, "Unknown expectation"}
		}
		r.Continue = true
	}
	return r, nil
}

// frame finds out how long the body is (RFC 9112, 6.3). Whatever two readers could
// take for two lengths is refused.
func (r *Request) frame() *Refusal {
	lengths, codings := r.values("Content-Length"), r.values("Transfer-Encoding")
	switch {
	case len(lengths) > 0 && len(codings) > 0:
		return badRequest("Content-Length beside Transfer-Encoding")
	case len(codings) > 1 || len(codings) == 1 && !strings.EqualFold(codings[0], "chunked"):
		return badRequest("Transfer-Encoding other than chunked")
	case len(codings) == 1:
		r.Length = Chunked
	case len(lengths) == 0:
		r.Length = NoLength
	case len(lengths) > 1 || lengths[0] == "" || strings.Trim(lengths[0], "0123456789") != "":
		return badRequest("Malformed or repeated Content-Length")
	default:
		n, err := strconv.Atoi(lengths[0])
		if err != nil || n > MaxBody {
			return errBodyTooLarge
		}
		r.Length = n
	}
	return nil
}

func badRequest(what string) *Refusal { return &Refusal{400, "Bad request: " + what} }

func (r *Request) values(name string) (values []string) {
	for _, f := range r.fields {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// Get returns the value of the field called name, in any case, and whether there is
// one. The values of several are joined with ", " (RFC 9110, 5.3).
func (r *Request) Get(name string) (value string, ok bool) {
	values := r.values(name)
	return strings.Join(values, ", "), len(values) > 0
}

// errToken tells how to present a token (RFC 6750, 3). It does not say what was wrong.
var errToken = &Refusal{401, "A token is needed: Authorization: Bearer TOKEN"}

// CheckToken looks for the token in Authorization (RFC 6750, 2.1), or in AuthHeader. An
// empty one is not needed.
func CheckToken(r *Request, token string) *Refusal {
	if token == "" {
		return nil
	}
	got, ok := r.Get(AuthHeader)
	if credentials, found := r.Get("Authorization"); found {
		var scheme string
		scheme, got, ok = strings.Cut(credentials, " ")
		ok = ok && strings.EqualFold(scheme, "Bearer")
	}
	if !ok || subtle.ConstantTimeCompare([]byte(strings.Trim(got, " ")), []byte(token)) == 0 {
		return errToken
	}
	return nil
}
