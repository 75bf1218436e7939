// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Report is what a run saw. Times are in microseconds, sizes in bytes.
type Report struct {
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	Clients  int       `json:"clients"`
	Pipeline int       `json:"pipeline"`
	Rate     float64   `json:"rate,omitempty"`
	Mix      Mix       `json:"mix"`
	Rows     []Row     `json:"rows"`
	// Server is what the run cost the server, if its process was known.
	Server *Cost `json:"server,omitempty"`
}

// Row is what the clients of one behaviour saw together.
type Row struct {
	Behaviour   string  `json:"behaviour"`
	Clients     int     `json:"clients"`
	Connections int64   `json:"connections"`
	Answers     int64   `json:"answers"`
	PerSecond   float64 `json:"per_second"`
	// Wrong counts answers and messages that no correct server sends, Dropped the
	// connections that were refused or ended by the server.
	Wrong   int64    `json:"wrong"`
	Dropped int64    `json:"dropped"`
	Errors  []string `json:"errors,omitempty"`
	// Measured are the times as they were, Corrected those for requests that would
	// have been sent had the clients not waited. With a rate both are the same.
	Measured  Times `json:"measured"`
	Corrected Times `json:"corrected"`
	// Points are the distribution of the corrected times.
	Points []Point `json:"points,omitempty"`
}

// Times are percentiles.
type Times struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
}

// Point says which share of the answers, in percent, took at most a time.
type Point struct {
	Percentile float64 `json:"percentile"`
	Time       float64 `json:"time"`
}

func newReport(config Config, started time.Time, elapsed time.Duration, series []*Series, cost *Cost) *Report {
	r := &Report{
		Started: started.UTC(), Seconds: elapsed.Seconds(), Clients: config.Clients,
		Pipeline: config.Pipeline, Rate: config.Rate, Mix: config.Mix, Server: cost,
	}
	for _, share := range config.Mix {
		var own []*Series
		for _, s := range series {
			if s.behaviour == share.Behaviour {
				own = append(own, s)
			}
		}
		r.Rows = append(r.Rows, newRow(share.Behaviour, own, config.paced(share.Behaviour), elapsed))
	}
	if cost != nil && cost.CPUSeconds > 0 {
		cost.PerCPUSecond = float64(r.answers()) / cost.CPUSeconds
	}
	return r
}

func newRow(behaviour string, series []*Series, paced bool, elapsed time.Duration) Row {
	row := Row{Behaviour: behaviour, Clients: len(series)}
	measured := hdrhistogram.New(lowest, highest, digits)
	whole := hdrhistogram.New(lowest, highest, digits)
	for _, s := range series {
		measured.Merge(s.times)
		if paced {
			whole.Merge(s.times)
		} else {
			// What a client meant to do is to go on at its mean pace.
			whole.Merge(corrected(s.times, int64(s.times.Mean())))
		}
		row.Connections += s.connections
		row.Wrong += s.wrong
		row.Dropped += s.dropped
		row.Errors = append(row.Errors, s.errors...)
	}
	slices.Sort(row.Errors)
	row.Errors = slices.Compact(row.Errors)
	row.Answers = measured.TotalCount()
	row.PerSecond = float64(row.Answers) / elapsed.Seconds()
	row.Measured, row.Corrected = times(measured), times(whole)
	if row.Answers > 0 {
		for _, at := range percentiles() {
			row.Points = append(row.Points, Point{at, micros(whole.ValueAtQuantile(at))})
		}
	}
	return row
}

// percentiles are where the distribution is told: each percent, and finer towards the end.
func percentiles() (at []float64) {
	for percent := range 100 {
		at = append(at, float64(percent))
	}
	return append(at, 99.5, 99.9, 99.95, 99.99, 99.999, 100)
}

func micros(ns int64) float64 { return float64(ns) / float64(time.Microsecond) }

func times(h *hdrhistogram.Histogram) Times {
	if h.TotalCount() == 0 {
		return Times{}
	}
	at := func(q float64) float64 { return micros(h.ValueAtQuantile(q)) }
	return Times{at(50), at(90), at(99), at(99.9), micros(h.Max())}
}

// Wrong is how many answers were wrong.
func (r *Report) Wrong() (n int64) {
	for _, row := range r.Rows {
		n += row.Wrong
	}
	return n
}

func (r *Report) answers() (n int64) {
	for _, row := range r.Rows {
		n += row.Answers
	}
	return n
}

func (r *Report) connected() (n int64) {
	for _, row := range r.Rows {
		n += row.Connections
	}
	return n
}

func (r *Report) firstError() string {
	for _, row := range r.Rows {
		if len(row.Errors) > 0 {
			return row.Errors[0]
		}
	}
	return "no time was left"
}
