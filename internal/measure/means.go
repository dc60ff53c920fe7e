package measure

import "math"

// Kinds of bench's rows.
const (
	KindTime = "time" // the time of a strategy on a file
	KindMean = "mean" // the mean of its speeds over all files
)

// setSpeeds compares the rows of a file with the fastest form without reuse.
func setSpeeds(rows []GeometryRow) {
	for i := range rows {
		if fastest := FastestNaive(rows, &rows[i]); fastest > 0 {
			rows[i].Speed = fastest / rows[i].MsMedian
		}
	}
}

// Means makes a row of KindMean for each order, load and strategy. Its Speed is the
// geometric mean over the files, and it names the file with the least speed. There are
// none for a single file, nor where no form without reuse was timed.
func Means(rows []GeometryRow) (means []GeometryRow) {
	type key struct{ order, load, strategy string }
	at := map[key]int{}
	several := false
	for i := range rows {
		r := &rows[i]
		several = several || r.File != rows[0].File
		if r.Speed == 0 {
			continue
		}
		k := key{r.Order, r.Load, r.Strategy}
		if _, known := at[k]; !known {
			at[k] = len(means)
			means = append(means, newMean(r))
		}
		means[at[k]].add(r)
	}
	if !several {
		return nil
	}
	for i := range means {
		m := &means[i]
		m.Speed = math.Exp(m.Speed / float64(m.Files))
		m.Reuse = 1 - float64(m.Invocations)/float64(3*m.Triangles)
	}
	return means
}

// newMean is a mean over no files yet, of rows such as one.
func newMean(of *GeometryRow) GeometryRow {
	return GeometryRow{
		Schema: Schema, Kind: KindMean, Order: of.Order, Strategy: of.Strategy, Lanes: of.Lanes, Native: of.Native, Workgroup: of.Workgroup,
		Batching: of.Batching, Batch: of.Batch, Unique: of.Unique, Table: of.Table, Queue: of.Queue, Load: of.Load, Shader: of.Shader, On: of.On, Runs: of.Runs, Program: of.Program,
	}
}

// add adds a file. Until all files are added, Speed is the sum of logarithms. A batch
// that differs between files is left out.
func (m *GeometryRow) add(r *GeometryRow) {
	m.Files++
	m.Speed += math.Log(r.Speed)
	m.Triangles, m.Invocations = m.Triangles+r.Triangles, m.Invocations+r.Invocations
	if m.WorstFile == "" || r.Speed < m.WorstSpeed {
		m.WorstFile, m.WorstSpeed = r.File, r.Speed
	}
	if r.Batch != m.Batch {
		m.Batch, m.Unique, m.Table = 0, 0, 0
	}
}
