// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"claudecoded/nvimbridge/lockfile"
)

type listCommand struct {
	JSON bool `help:"Print a JSON array."`
}

// listed is a running editor as list prints it.
type listedEditor struct {
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	Folders []string  `json:"folders"`
	Since   time.Time `json:"since"`
	Answers bool      `json:"answers"`
	// State is the editor's, or why its server does not answer.
	State string `json:"state"`
}

// Run prints the running editors, the newest first.
func (c *listCommand) Run() error {
	found, err := lockfile.Find(lockfile.Places(os.Getenv)...)
	editors := examine(context.Background(), found)
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return cmp.Or(encoder.Encode(editors), err)
	}
	return cmp.Or(writeList(os.Stdout, editors), err)
}

// examine asks the servers of the editors that live how they are, all at once.
func examine(ctx context.Context, found []lockfile.Found) []listedEditor {
	editors := []listedEditor{}
	for _, f := range found {
		if !f.Dead {
			editors = append(editors, listedEditor{PID: f.PID, Port: f.Port, Folders: f.WorkspaceFolders, Since: f.Since})
		}
	}
	var asked sync.WaitGroup
	for i := range editors {
		e := &editors[i]
		asked.Go(func() {
			p := prober{editor: lockfile.Found{Lock: lockfile.Lock{Port: e.Port}}}
			h, err := p.health(ctx)
			if e.Answers, e.State = err == nil, h.Editor; err != nil {
				e.State = err.Error()
			}
		})
	}
	asked.Wait()
	return editors
}

func writeList(out io.Writer, editors []listedEditor) error {
	if len(editors) == 0 {
		_, err := fmt.Fprintln(out, "no Neovim with claudecoded runs")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PID\tPORT\tSINCE\tSTATE\tFOLDERS")
	for _, e := range editors {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\n",
			e.PID, e.Port, e.Since.Local().Format(time.DateTime), e.State, strings.Join(e.Folders, " "))
	}
	return table.Flush()
}
