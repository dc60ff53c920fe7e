// Command orders prints how often every strategy shades a vertex of a mesh on average, in
// the file's index order and in others, on the CPU:
//
//	go run ./examples/orders bunny.ply
//
// It is an example of a program that uses the packages geometry/capture,
// geometry/order and geometry/reuse, and nothing else of ours.
package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: orders MESH")
		os.Exit(2)
	}
	if err := compare(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compare prints a row per strategy and a column per order: the mean number of shadings of a
// referenced vertex, which is at least 1.
func compare(ctx context.Context, path string) error {
	scene, err := capture.Open(ctx, path)
	if err != nil {
		return err
	}
	orders := []string{"original", "forsyth", "tipsify"}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "strategy\t")
	rows := make([][]float64, len(reuse.Strategies))
	for _, name := range orders {
		fmt.Fprint(table, name, "\t")
		ordered, err := order.Apply(ctx, scene, name)
		if err != nil {
			return err
		}
		for i, strategy := range reuse.Strategies {
			config, err := reuse.Resolve(strategy.Name, 0, 0)
			if err != nil {
				return err
			}
			stats, _, err := reuse.Summarize(ordered, config)
			if err != nil {
				return err
			}
			rows[i] = append(rows[i], float64(stats.Invocations)/float64(stats.Referenced))
		}
	}
	fmt.Fprintln(table)
	for i, strategy := range reuse.Strategies {
		fmt.Fprint(table, strategy.Name, "\t")
		for _, times := range rows[i] {
			fmt.Fprintf(table, "%.2f\t", times)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
