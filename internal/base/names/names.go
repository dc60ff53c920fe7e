// Package names lists names, and makes the error for an unknown name, with a suggestion of what was
// meant. Every registry and every flag that takes a name uses it.
//
// Printable makes names from files safe to print.
package names

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Of lists the names of a list's elements, in the order of the list.
func Of[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, element := range list {
		names[i] = name(element)
	}
	return names
}

// Unknown returns the error for a name that a registry does not have: `unknown strategy "hsah": did
// you mean hash? have naive, hash`. `what` names the kind of thing, here "strategy".
func Unknown(what, name string, have []string) error {
	return NotAmong(what, name, Nearest(name, have), strings.Join(have, ", "))
}

// NotAmong is Unknown for names with parts: the caller passes the nearest name, or "", and in
// `have` a text that lists the names.
func NotAmong(what, name, nearest, have string) error {
	return fmt.Errorf("unknown %s %.40q:%s have %s", what, name, Hint(nearest), have)
}

// Hint returns what follows the colon of Unknown's error: " did you mean hash?", or "" if nearest is "".
func Hint(nearest string) string {
	if nearest == "" {
		return ""
	}
	return " did you mean " + nearest + "?"
}

const longest = 64 // the length of the longest name that is compared

// Nearest returns the name in `have` that is most like `name`, ignoring case; if several are, the first of them. A
// third of the letters may be wrong, at least one and at most three. If no name is that near, it returns the
// first that begins with `name`, or "". It returns "" for names of fewer than 2 letters or more than 64.
func Nearest(name string, have []string) string {
	if len(name) < 2 || len(name) > longest {
		return ""
	}
	lower := strings.ToLower(name)
	nearest, least := "", longest
	for _, h := range have {
		d := distance(lower, strings.ToLower(h))
		if d < least && d <= min(3, max(1, min(len(name), len(h))/3)) {
			nearest, least = h, d
		}
	}
	if nearest != "" {
		return nearest
	}
	for _, h := range have {
		if strings.HasPrefix(strings.ToLower(h), lower) {
			return h
		}
	}
	return ""
}

// distance returns how many letters must be inserted, deleted, replaced or swapped with a
// neighbour to turn a into b, each letter at most once (optimal string alignment).
func distance(a, b string) int {
	var before []int // the row of a[:i-2]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// Count formats a number of things: "1 chunk", "2 chunks".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Printable escapes characters that would break a line or control a terminal, since names come
// from files.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
