// Command hostile runs shadeonce on thousands of broken and hostile files, and fails if one of
// them costs too much or gives anything but a result or one line.
//
//	go run ./tools/hostile -n 1000 -seed 1
//
// The files are small real ones that a seed breaks (mutate.go), bombs that are made to cost much
// (bombs.go, captures.go), and a large one that is changed while it is read (changed.go). The
// command runs the program from outside, and imports none of its packages.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Limits of a run's processor time and memory. Files ten times as large as needed to show a cost
// may take ten times as long.
const (
	mostTime   = 3 * time.Second
	mostMemory = 300 << 20
	larger     = 10
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == runnerFlag {
		check(json.NewEncoder(os.Stdout).Encode(runOne(os.Args[2], os.Args[3:]...)))
		return
	}
	n := flag.Int("n", 1000, "how many `files` are made by changing others")
	seed := flag.Uint64("seed", 1, "of the changes")
	program := flag.String("program", "", "the shadeonce to run; built where none is given")
	flag.Parse()
	folder, err := os.MkdirTemp("", "hostile-")
	check(err)
	if *program == "" {
		*program = filepath.Join(folder, "shadeonce")
		build := exec.Command("go", "build", "-o", *program, "./cmd/shadeonce")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		check(build.Run())
	}
	c := &campaign{program: *program, folder: folder, classes: map[string]*class{}}
	c.runAll(*n, *seed)
	c.print()
	if c.failures > 0 {
		fmt.Printf("%d failures; their files are in %s\n", c.failures, folder)
		os.Exit(1)
	}
	check(os.RemoveAll(folder))
}

// check ends this program on its own errors, which do not include what the files cause.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// hostile is a file and how it is run.
type hostile struct {
	class string
	name  string
	data  []byte
	zip   []byte // the file beside a capture
	swap  bool   // data is the zip file, and zip the capture
	size  int    // how many times larger than needed to show the cost
	drawn bool   // rendered, not analysed
}

// campaign runs files and keeps the table.
type campaign struct {
	program, folder string
	lock            sync.Mutex
	classes         map[string]*class
	failures        int
}

// class is a row of the printed table.
type class struct {
	runs, read, refused, failed int
	time                        time.Duration
	memory                      int64
}

func (c *campaign) runAll(n int, seed uint64) {
	files := make(chan *hostile)
	var all sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			folder := filepath.Join(c.folder, fmt.Sprint("worker", worker))
			check(os.Mkdir(folder, 0o700))
			for f := range files {
				c.runFile(folder, f)
			}
		})
	}
	seeds := c.seeds()
	for _, s := range seeds {
		sound := *s
		if sound.class = "sound"; sound.swap {
			sound.data, sound.zip = sound.zip, sound.data
		}
		files <- &sound
	}
	for i := range n {
		files <- mutated(seeds, seed, i)
	}
	for _, size := range []int{1, larger} {
		for _, b := range slices.Concat(meshBombs(size), captureBombs(size), drawnBombs(size)) {
			files <- b
		}
	}
	close(files)
	all.Wait()
	c.runChanged(seed)
}

// runFile writes a file, and runs the program on it. A file that fails is kept.
func (c *campaign) runFile(folder string, f *hostile) {
	path := filepath.Join(folder, f.name)
	check(os.WriteFile(path, f.data, 0o600))
	if f.zip != nil {
		name, _, _ := strings.Cut(f.name, ".xml")
		check(os.WriteFile(filepath.Join(folder, name), f.zip, 0o600))
	}
	args := []string{"analyze", "--backend", "cpu", "--strategy", "warp", path}
	if f.drawn {
		args = []string{"render", "--backend", "cpu", "--size", "64x64", path, "-o", filepath.Join(folder, "drawn.png")}
	}
	r := c.run(args...)
	why := r.wrong(f.size)
	if f.class == "sound" && r.Status != 0 {
		why = "refused"
	}
	c.note(f.class, r, why, path)
	if why != "" {
		check(os.CopyFS(filepath.Join(c.folder, fmt.Sprint("failure", c.failures)), os.DirFS(folder)))
	}
	check(os.RemoveAll(folder))
	check(os.Mkdir(folder, 0o700))
}

// note adds a run to the table.
func (c *campaign) note(name string, r result, why, what string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	line := c.classes[name]
	if line == nil {
		line = &class{}
		c.classes[name] = line
	}
	line.runs++
	line.time, line.memory = max(line.time, r.Time), max(line.memory, r.Memory)
	switch {
	case why != "":
		line.failed++
		c.failures++
		fmt.Printf("failure%d: %s: %s: %s: %s\n", c.failures, name, filepath.Base(what), why, first(r.Said))
	case r.Status == 0:
		line.read++
	default:
		line.refused++
	}
}

func (c *campaign) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "files\truns\tread\trefused\tfailed\tmost seconds\tmost MiB\t")
	for _, name := range slices.Sorted(maps.Keys(c.classes)) {
		l := c.classes[name]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.2f\t%d\t\n", name, l.runs, l.read, l.refused, l.failed, l.time.Seconds(), l.memory>>20)
	}
	check(w.Flush())
}
