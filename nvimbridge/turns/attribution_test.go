// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import "testing"

func TestAttribution_FollowsFromWhatHappens(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		events []event
		stage  stage
		word   word
	}{
		"nothing":                            {nil, stageNone, wordClient},
		"an edit":                            {[]event{onAnnounced, onTaken}, stageNone, wordClient},
		"an edit that is to come":            {[]event{onAnnounced, onSame}, stageDelay, wordClient},
		"and comes":                          {[]event{onAnnounced, onSame, onTaken}, stageNone, wordClient},
		"and comes from the user":            {[]event{onAnnounced, onSame, onUserWrote}, stageNone, wordUser},
		"the user while it may be written":   {[]event{onAnnounced, onUserWrote}, stageAwait, wordUser},
		"a command":                          {[]event{onGuessed}, stageNone, wordGit},
		"a command that was the user":        {[]event{onGuessed, onUserWrote}, stageNone, wordUser},
		"an edit after a command":            {[]event{onGuessed, onAnnounced}, stageAwait, wordGit},
		"and it is taken":                    {[]event{onGuessed, onAnnounced, onTaken}, stageNone, wordClient},
		"an edit of what the user wrote":     {[]event{onTaken, onUserWrote, onAnnounced}, stageAwait, wordClient},
		"a client that goes on, and no more": {[]event{onTaken, onSame}, stageNone, wordClient},
	} {
		var f file
		for _, e := range row.events {
			f.on(e)
		}
		if f.stage != row.stage || f.word != row.word {
			t.Errorf("%s: %d and %d", name, f.stage, f.word)
		}
	}
}

// Whatever was before, what the user wrote is not taken for a guess, and what was taken is not awaited.
func TestAttribution_OfEveryStateHoldsWhatIsRelied(t *testing.T) {
	t.Parallel()
	for s := range stages {
		for w := range words {
			for e := range events {
				f := file{stage: stage(s), word: word(w)}
				f.on(e)
				switch {
				case e == onUserWrote && f.word != wordUser, e == onTaken && (f.awaited() || f.word != wordClient),
					e == onAnnounced && f.stage != stageAwait, e == onGuessed && f.word != wordGit,
					e != onAnnounced && stage(s) == stageNone && f.awaited():
					t.Errorf("state %d, %d after %d is %d, %d", s, w, e, f.stage, f.word)
				}
			}
		}
	}
}
