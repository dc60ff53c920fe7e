package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// cover reduces a list of cases in short runs: every pair of features that occurs in some element occurs in
// a chosen one. Features are values, compared position by position. Without -short it returns all elements.
func cover[T any](all []T, features func(T) []any) []T {
	if !testing.Short() {
		return all
	}
	return pairwise(all, features)
}

// coverEach is cover for single features instead of pairs.
func coverEach[T any](all []T, features func(T) []any) []T {
	if !testing.Short() {
		return all
	}
	return chosen(all, func(element T) (list []any) {
		for at, value := range features(element) {
			list = append(list, feature{at, value})
		}
		return list
	})
}

// feature is a value at a position.
type feature struct {
	at    int
	value any
}

// pairwise chooses elements that together contain every pair of features. Each of groups returns a list
// of an element's features; only features of the same list form pairs.
func pairwise[T any](all []T, groups ...func(T) []any) []T {
	return chosen(all, func(element T) (pairs []any) {
		for at, features := range groups {
			list := features(element)
			for a := range list {
				for b := range a {
					pairs = append(pairs, [3]any{at, feature{b, list[b]}, feature{a, list[a]}})
				}
			}
		}
		return pairs
	})
}

// chosen repeatedly takes the element that adds the most features; a seeded order breaks ties. The
// result keeps the order of the list.
func chosen[T any](all []T, meets func(T) []any) []T {
	met, ids := make([][]int, len(all)), map[any]int{}
	for i, element := range all {
		for _, x := range meets(element) {
			id, seen := ids[x]
			if !seen {
				id = len(ids)
				ids[x] = id
			}
			met[i] = append(met[i], id)
		}
	}
	order := rand.New(rand.NewPCG(1, uint64(len(all)))).Perm(len(all))
	var taken []int
	done := make([]bool, len(ids))
	for left := len(ids); left > 0; {
		best, most := -1, 0
		for _, i := range order {
			gain := 0
			for _, id := range met[i] {
				if !done[id] {
					gain++
				}
			}
			if gain > most {
				best, most = i, gain
			}
		}
		for _, id := range met[best] {
			done[id] = true
		}
		left -= most
		taken = append(taken, best)
	}
	slices.Sort(taken)
	list := make([]T, len(taken))
	for k, i := range taken {
		list[k] = all[i]
	}
	return list
}

// product returns every combination of indices below sizes, with the last index changing fastest.
func product(sizes ...int) [][]int {
	list := [][]int{nil}
	for _, size := range sizes {
		var longer [][]int
		for _, row := range list {
			for i := range size {
				longer = append(longer, append(slices.Clone(row), i))
			}
		}
		list = longer
	}
	return list
}

// choices is product, reduced by cover in short runs.
func choices(sizes ...int) [][]int { return cover(product(sizes...), values[int]) }

// eachChoice is product, reduced by coverEach in short runs.
func eachChoice(sizes ...int) [][]int { return coverEach(product(sizes...), values[int]) }

func values[T any](row []T) (list []any) {
	for _, v := range row {
		list = append(list, v)
	}
	return list
}

func TestPairwiseCoversEveryPair(t *testing.T) {
	all := product(8, 5, 2, 2, 9)
	all = slices.DeleteFunc(all, func(row []int) bool { return row[0] > 5 && row[1] > 0 }) // a product with gaps
	few := pairwise(all, values[int])
	require.Less(t, len(few), len(all)/8)
	met := func(list [][]int) map[string]bool {
		pairs := map[string]bool{}
		for _, row := range list {
			for a := range row {
				for b := range a {
					pairs[fmt.Sprint(b, row[b], a, row[a])] = true
				}
			}
		}
		return pairs
	}
	require.Equal(t, met(all), met(few))
}
