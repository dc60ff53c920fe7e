package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
)

// limitFlags make a command fail where vertices are shaded too often.
type limitFlags struct {
	below, above []string
	limits       []limit
}

// limit is a bound of one figure.
type limit struct {
	figure figure
	bound  float64
}

// figure is what a limit can be of. Of some more is better, of others less.
type figure struct {
	name   string
	higher bool // is better
	of     func(c counts) float64
}

// counts are what the figures of a row are made of.
type counts struct{ triangles, indices, referenced, invocations int }

var figures = []figure{
	{"reuse", true, func(c counts) float64 { return 1 - share(c.invocations, c.indices) }},
	{"acmr", false, func(c counts) float64 { return share(c.invocations, c.triangles) }},
	{"atvr", false, func(c counts) float64 { return share(c.invocations, c.referenced) }},
}

func share(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func (f *limitFlags) add(flags *pflag.FlagSet) {
	text := fmt.Sprintf(" in any row; the exit status is then %d", cli.ExitLimit)
	flags.StringSliceVar(&f.below, "fail-below", nil, "`limit` such as reuse=0.7: fail where reuse is below it"+text)
	flags.StringSliceVar(&f.above, "fail-above", nil, "`limits` such as acmr=0.8,atvr=1.3: fail where ACMR or ATVR is above it"+text)
}

// read checks the flags.
func (f *limitFlags) read() error {
	f.limits = nil
	for _, side := range []struct {
		flag, other string
		texts       []string
		higher      bool
	}{{"fail-below", "fail-above", f.below, true}, {"fail-above", "fail-below", f.above, false}} {
		for _, text := range side.texts {
			name, value, _ := strings.Cut(text, "=")
			at := slices.IndexFunc(figures, func(one figure) bool { return one.name == name })
			bound, err := strconv.ParseFloat(value, 64)
			switch {
			case at < 0:
				return cli.AsUsage(names.Unknown("--"+side.flag, name, figureNames(side.higher)))
			case figures[at].higher != side.higher:
				better := map[bool]string{true: "higher", false: "lower"}[figures[at].higher]
				return cli.Usagef("--%s %s: a %s %s is better: want --%s %s", side.flag, text, better, name, side.other, text)
			case err != nil || bound != bound:
				return cli.Usagef("--%s %q: want NAME=NUMBER", side.flag, text)
			}
			f.limits = append(f.limits, limit{figures[at], bound})
		}
	}
	return nil
}

func figureNames(higher bool) (list []string) {
	for _, one := range figures {
		if one.higher == higher {
			list = append(list, one.name)
		}
	}
	return list
}

// mostMissed bounds the rows that are named.
const mostMissed = 20

// check names the rows that miss a limit, and returns an error if there are any.
func (f *limitFlags) check(stderr io.Writer, rows []limited) error {
	missed := 0
	for _, row := range rows {
		for _, l := range f.limits {
			value, side := l.figure.of(row.counts), "above"
			if l.figure.higher {
				side = "below"
			}
			if value == l.bound || (value < l.bound) != l.figure.higher {
				continue
			}
			if missed++; missed <= mostMissed {
				cli.Tell(stderr, fmt.Sprintf("%s: %s %.4f is %s %v", row.name, l.figure.name, value, side, l.bound))
			}
		}
	}
	if missed == 0 {
		return nil
	}
	more := ""
	if missed > mostMissed {
		more = fmt.Sprintf(", of which the first %d are named", mostMissed)
	}
	return cli.LimitError{Text: fmt.Sprintf("%s missed%s", names.Count(missed, "limit"), more)}
}

// limited is a row as limits see it.
type limited struct {
	name string
	counts
}

func limitedRow(r *measure.Analysis) limited {
	return limited{r.File + ", order " + r.Order + ", " + r.Strategy, counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}}
}

func limitedDraw(r *measure.DrawAnalysis) limited {
	name := fmt.Sprintf("%s, order %s, draw %d %s, %s", r.File, r.Order, r.Draw, r.Name, r.Strategy)
	return limited{name, counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}}
}
