package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestParse(t *testing.T) {
	labels := func(text string) (list []string) {
		configs := must.Get(Parse(text))
		for _, c := range configs {
			list = append(list, c.String())
			again := must.Get(Parse(c.String()))
			require.Equal(t, []Config{c}, again, "a label names its model")
		}
		return list
	}
	for text, want := range map[string][]string{
		"ideal": {"ideal"}, "ideal:all": {"ideal"}, "lru": {"lru:16"}, "lru:32": {"lru:32"}, "fifo:entries=7": {"fifo:7"},
		"lru:all": {"lru:16", "lru:24", "lru:32"}, "parallel:1024": {"parallel:1024:range"},
		"parallel:dealt:64": {"parallel:64:dealt"},
		"parallel:inflight=32:partition=range:multiprocessors=2:1": {"parallel:1:range:multiprocessors=2:inflight=32"},
		"nv-96-32:window=96": {"nv-96-32:window=96"},
	} {
		require.Equal(t, want, labels(text), text)
	}
	var all []string
	for _, m := range All {
		for _, p := range m.Variants {
			all = append(all, m.Label(p))
		}
	}
	require.Equal(t, all, labels("all"))
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `unknown model "": have ideal`,
		"lur":                            `unknown model "lur": did you mean lru? have ideal`,
		"lur:32":                         `unknown model "lur": did you mean lru? have ideal`,
		"all:32":                         `unknown model "all": have ideal`,
		"lru:":                           `model "lru:": unknown parameter "": have a number of entries, range, dealt, KEY=NUMBER`,
		"lru:x":                          `model "lru:x": unknown parameter "x"`,
		"parallel:deatl":                 `model "parallel:deatl": unknown parameter "deatl": did you mean dealt?`,
		"lru:0":                          `model "lru:0": entries "0": must be a number from 1`,
		"lru:-5":                         `model "lru:-5": entries "-5": must be a number from 1`,
		"lru:entries=x":                  `model "lru:entries=x": entries "x": must be a number from 1`,
		"lru:8:9":                        `model "lru:8:9": its entries are given twice`,
		"parallel:range:dealt":           `model "parallel:range:dealt": its partition is given twice`,
		"lru:entires=8":                  `unknown parameter "entires": did you mean entries? have entries, window, multiprocessors, inflight`,
		"parallel:range:partition=dealt": "its partition is given twice",
		"parallel:partition=x":           `unknown partition "x": have range, dealt`,
		"lru:2000000000":                 "model lru: entries 2000000000 is out of range 1..1073741824",
		"lru:range":                      `model lru: has no parameter "partition"`,
		"ideal:3":                        `model ideal: has no parameter "entries"`,
		"lru:all:3":                      `model "lru:all:3": unknown parameter "all"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}
