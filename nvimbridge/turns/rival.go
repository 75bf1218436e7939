// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

// others reports whether another client changed a file to what it is now, or may do so.
func (b *book) others(t *turn, c change) bool {
	other := b.rival(t, c.path)
	return other != nil && (other.awaited() || other.after.same(c.after))
}

// rival is what another client changed in the same file while the turn was open: both see
// the same work tree, and who looks first has done it.
func (b *book) rival(t *turn, path string) *file {
	for i := len(b.turns) - 1; i >= 0; i-- {
		o := b.turns[i]
		if o.client == t.client || !o.ended.IsZero() && o.ended.Before(t.began) {
			continue
		}
		if f := o.files[path]; f != nil && f.touches() {
			return f
		}
	}
	return nil
}
