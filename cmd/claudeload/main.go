// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command claudeload loads an IDE or MCP server of this machine with many synthetic
// Claude clients and shows what they saw. Without an address it takes the Neovim whose
// workspace holds the working directory.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"claudecoded/bench/load"
)

// Exit codes other than 0.
const (
	exitFailed = 1
	exitUsage  = 2
	// exitWrong says that the server gave a wrong answer.
	exitWrong = 3
)

type options struct {
	Clients  int           `default:"10" help:"Clients at once."`
	Pipeline int           `default:"1" help:"Requests that each keeps in flight."`
	Duration time.Duration `default:"10s" help:"How long."`
	Mix      string        `default:"ping" help:"Behaviours of the clients with weights, as ping=7,call=2,churn."`
	Rate     float64       `help:"Requests a second that each client sends on a schedule, where its behaviour is a stream of requests. 0: as many as are answered."`
	URL      string        `help:"The server, as ws://127.0.0.1:40123 or http://127.0.0.1:40123/mcp. Else a running Neovim is looked for." placeholder:"URL"`
	Token    string        `help:"The server's token." env:"CLAUDELOAD_TOKEN" placeholder:"TOKEN"`
	PID      int           `name:"pid" help:"The server's process, to watch its CPU time and memory (Linux)."`
	Tool     string        `default:"getWorkspaceFolders" help:"The tool that the behaviour call calls."`
	HTTPTool string        `default:"nvim_getWorkspaceFolders" help:"The tool that http-call calls."`
	Args     string        `default:"{}" help:"The arguments of either, a JSON object."`
	Large    int           `default:"1048576" help:"Bytes of a large message."`
	Piece    int           `default:"65536" help:"Bytes of a fragment of one."`
	Stall    time.Duration `default:"2s" help:"How long a client of the behaviour stall reads nothing."`
	JSON     string        `name:"json" help:"Write the whole report to a file; - is standard output, in place of the table." placeholder:"FILE"`
	Plot     string        `help:"Draw how long answers took, as .svg, .png or .pdf." placeholder:"FILE"`
	Quiet    bool          `short:"q" help:"No progress bar."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	exited := exitUsage
	parser, err := kong.New(&o, kong.Name("claudeload"),
		kong.Description("Loads an IDE or MCP server with synthetic Claude clients.\n\nBehaviours:\n"+
			strings.Join(load.Help(), "\n")),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code; panic(exit{}) }))
	if err != nil {
		panic(err)
	}
	parsed, err := parse(parser, args)
	if err != nil {
		fmt.Fprintf(stderr, "claudeload: %v\n", err)
		return exitUsage
	}
	if !parsed {
		return exited
	}
	report, err := o.measure(ctx, stderr)
	if err == nil {
		err = o.show(report, stdout)
	}
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "claudeload: %v\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(stderr, "claudeload: %v\n", err)
		return exitFailed
	case report.Wrong() > 0:
		fmt.Fprintf(stderr, "claudeload: %d wrong answers\n", report.Wrong())
		return exitWrong
	}
	return 0
}

// exit is what --help ends the parsing with.
type exit struct{}

func parse(parser *kong.Kong, args []string) (parsed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ended := r.(exit); !ended {
				panic(r)
			}
		}
	}()
	_, err = parser.Parse(args)
	return true, err
}

var errUsage = errors.New("wrong usage")

func (o *options) measure(ctx context.Context, stderr io.Writer) (*load.Report, error) {
	mix, err := load.ParseMix(o.Mix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	if err := canPlot(o.Plot); err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	port, token, err := o.server()
	if err != nil {
		return nil, err
	}
	bar := o.progress(ctx, stderr)
	defer bar()
	return load.Run(ctx, load.Config{
		Port: port, Token: token, Clients: o.Clients, Pipeline: o.Pipeline, Duration: o.Duration,
		Mix: mix, Rate: o.Rate, Tool: o.Tool, HTTPTool: o.HTTPTool, Arguments: json.RawMessage(o.Args),
		Large: o.Large, Piece: o.Piece, Stall: o.Stall, PID: o.PID,
	})
}

// show writes what was asked for.
func (o *options) show(report *load.Report, stdout io.Writer) error {
	if o.Plot != "" {
		if err := plotTimes(report, o.Plot); err != nil {
			return err
		}
	}
	if o.JSON == "" {
		return writeTable(stdout, report)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	text = append(text, '\n')
	if o.JSON == "-" {
		_, err = stdout.Write(text)
		return err
	}
	if err := os.WriteFile(o.JSON, text, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return writeTable(stdout, report)
}
