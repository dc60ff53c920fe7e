package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
)

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// writeCSV prints the JSON's fields as columns; the histogram's entries are
// separated by spaces.
func writeCSV(w io.Writer, rows []analysis) error {
	out := csv.NewWriter(w)
	head := []string{
		"file", "order", "strategy", "lanes", "batch", "unique", "backend", "device", "draws", "vertices", "referenced",
		"triangles", "indices", "invocations", "reuse", "ideal", "acmr", "atvr", "lane_utilization", "histogram",
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range rows {
		row := []string{r.File, r.Order, r.Strategy}
		for _, n := range []int{r.Lanes, r.Batch, r.Unique} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, r.Backend, r.Device)
		for _, n := range []int{r.Draws, r.Vertices, r.Referenced, r.Triangles, r.Indices, r.Invocations} {
			row = append(row, strconv.Itoa(n))
		}
		for _, f := range []float64{r.Reuse, r.Ideal, r.ACMR, r.ATVR, r.Utilization} {
			row = append(row, strconv.FormatFloat(f, 'g', -1, 64))
		}
		row = append(row, strings.Trim(fmt.Sprint(r.Histogram), "[]"))
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeTable prints rows for people; the histogram is 1 to 6 and more, in
// percent of the referenced vertices.
func writeTable(w io.Writer, rows []analysis) error {
	table := tablewriter.NewTable(w)
	table.Header("file", "strategy", "lanes", "batch", "triangles", "invocations", "ideal", "reuse", "ACMR", "ATVR", "lanes used", "shaded 1/2/3/4/5/6+ times, %")
	for _, r := range rows {
		err := table.Append(r.File, r.Strategy, r.Lanes, r.Batch, r.Triangles, r.Invocations,
			fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.ACMR),
			fmt.Sprintf("%.3f", r.ATVR), fmt.Sprintf("%.3f", r.Utilization), histogramText(r))
		if err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	verified := "CPU reference only"
	if rows[0].Backend != cpuBackend {
		verified = "counts of every vertex equal to the CPU reference"
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", rows[0].Device, verified)
	return err
}

func histogramText(r analysis) string {
	var share [6]float64
	for times, n := range r.Histogram {
		if times > 0 {
			share[min(times, len(share))-1] += 100 * float64(n) / float64(r.Referenced)
		}
	}
	parts := make([]string, len(share))
	for i, s := range share {
		parts[i] = fmt.Sprintf("%.1f", s)
	}
	return strings.Join(parts, " / ")
}
