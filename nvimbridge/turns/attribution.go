// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

// Whose doing it is what a file has follows, for each turn, from two states: what its client is
// known to do with the file, and whose word the last is. Each goes on by what happens, as the tables
// say; what is remembered of bytes then is up to who lets it happen.

// stage is what a client does with a file.
type stage int8

const (
	stageNone  stage = iota // it announced nothing since the last bytes of it were taken
	stageAwait              // it announced the file: other bytes are its
	stageDelay              // it went on and had not written: another of its agents may have asked
)

// word is whose word it is that what was taken last is what the client left.
type word int8

const (
	wordClient word = iota // its own, by its signs; or nothing was taken yet
	wordGit                // nobody's: git showed it, and the user may be about to tell otherwise
	wordUser               // the user wrote the file since, so what is there is not what was taken
)

// event is what happens to a file.
type event int8

const (
	onAnnounced event = iota // the client is about to write it
	onSame                   // the client went on, and the file is as it was
	onTaken                  // what is there is taken for what the client left
	onGuessed                // the same, but there is no sign of the client
	onUserWrote              // the user wrote it
	events
)

var stages = [...][events]stage{
	//          onAnnounced  onSame      onTaken     onGuessed   onUserWrote
	stageNone:  {stageAwait, stageNone, stageNone, stageNone, stageNone},
	stageAwait: {stageAwait, stageDelay, stageNone, stageAwait, stageAwait},
	stageDelay: {stageAwait, stageDelay, stageNone, stageDelay, stageNone},
}

var words = [...][events]word{
	//          onAnnounced  onSame      onTaken     onGuessed   onUserWrote
	wordClient: {wordClient, wordClient, wordClient, wordGit, wordUser},
	wordGit:    {wordGit, wordGit, wordClient, wordGit, wordUser},
	wordUser:   {wordClient, wordUser, wordClient, wordGit, wordUser},
}

// on has something happen to the file.
func (f *file) on(e event) { f.stage, f.word = stages[f.stage][e], words[f.word][e] }

// sampled reports whether it was taken what the client left.
func (f *file) sampled() bool { return f.after.Kind != "" }

// awaited reports whether other bytes in the file would be the client's.
func (f *file) awaited() bool { return f.stage != stageNone }

// touches reports whether the client may have changed the file.
func (f *file) touches() bool { return f.awaited() || f.sampled() }
