// Command hostile runs shadeonce on thousands of broken and hostile files, and fails if one of
// them costs too much or leads to anything but a result or an error of one line.
//
//	go run ./tools/hostile -n 1000 -seed 1
//
// The files are small valid ones that a seed breaks (mutate.go), bombs that are made to cost much
// (bombs.go), and a large one that is changed while it is read. The command runs the program from
// outside, and imports none of its packages.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
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

// check ends this program on an error of its own. Failures that the files cause go to the table instead.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// hostile is a file, and how shadeonce is run on it.
type hostile struct {
	class string
	name  string
	data  []byte
	zip   []byte // the file beside a capture
	swap  bool   // data is the zip file, and zip the capture
	size  int    // how many times larger than needed to show the cost
	drawn bool   // rendered, not analysed
}

// campaign runs shadeonce on files and collects the table of results.
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

// runFile writes a file, and runs the program on it. It keeps a file on which the program fails.
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

// runChanged cuts a large file short, or writes to it, while shadeonce reads it; files of this size are
// mapped. The time of the change is random, and the program may have ended by then.
func (c *campaign) runChanged(seed uint64) {
	const largest = 64 << 20 // larger files are mapped
	sound, path := filepath.Join(c.folder, "sound.glb"), filepath.Join(c.folder, "changed.glb")
	if r := c.run("convert", "asset:terrain1300", "-o", sound); r.Status != 0 {
		check(fmt.Errorf("asset:terrain1300 is not converted: %s", r.Said))
	}
	info, err := os.Stat(sound)
	check(err)
	if info.Size() < largest {
		check(fmt.Errorf("a file of %d bytes is not mapped", info.Size()))
	}
	for i, args := range []string{
		"render --backend cpu --size 64x64", "analyze --backend cpu --strategy all", "convert", "render --backend cpu --size 64x64 --order forsyth", "analyze --backend cpu --order tipsify",
	} {
		for k := range 2 {
			r := rand.New(rand.NewPCG(seed, uint64(2*i+k)))
			check(exec.Command("cp", sound, path).Run()) // not through this program's memory, which would count as the child's
			timer := time.AfterFunc(time.Duration(r.IntN(1500))*time.Millisecond, func() {
				if k == 0 {
					_ = os.Truncate(path, int64(r.IntN(largest)))
					return
				}
				file, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err == nil {
					_, _ = file.WriteAt(make([]byte, 1<<20), int64(r.IntN(largest)))
					_ = file.Close()
				}
			})
			words := append(strings.Fields(args), path)
			switch words[0] {
			case "render":
				words = append(words, "-o", filepath.Join(c.folder, "changed.png"))
			case "convert":
				words = append(words, "-o", filepath.Join(c.folder, "other.glb"))
			}
			result := c.run(words...)
			timer.Stop()
			why := result.wrong(larger)
			if result.Memory > mostMemory && strings.HasSuffix(why, "MiB") {
				why = "" // the mapped file counts as memory
			}
			c.note("changed while read", result, why, args)
		}
	}
}

// hung is the time after which a run counts as hung. It is wall time, unlike mostTime,
// and long enough for a busy machine.
const hung = 3 * time.Minute

// result is how a run of the program ended.
type result struct {
	Status int // -1 if a signal ended it
	Hung   bool
	Said   string        // standard error
	Time   time.Duration // of all processors
	Memory int64         // peak, in bytes
}

// runnerFlag makes this program run one command and print its result. A process's peak memory includes
// that of its parent, so each command gets a small parent of its own.
const runnerFlag = "-run-one"

func (c *campaign) run(args ...string) (r result) {
	self, err := os.Executable()
	check(err)
	out, err := exec.Command(self, append([]string{runnerFlag, c.program}, args...)...).Output()
	check(err)
	check(json.Unmarshal(out, &r))
	return r
}

// runOne runs a program and measures it. It is called in the process that `run` starts with runnerFlag. When Go
// collects garbage depends on threads, which changes the peak by a tenth. A memory limit below mostMemory makes
// Go collect before that, so a higher peak is memory that the program really holds.
func runOne(program string, args ...string) (r result) {
	ctx, cancel := context.WithTimeout(context.Background(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Env = append(cmd.Environ(), "GOMEMLIMIT=200MiB")
	err := cmd.Run()
	if cmd.ProcessState == nil {
		check(err)
	}
	r.Status, r.Hung, r.Said = cmd.ProcessState.ExitCode(), ctx.Err() != nil, said.String()
	r.Time = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Memory = usage.Maxrss << 10
	}
	return r
}

// wrong says what is wrong with a run; "" if nothing is. `size` is the file's hostile.size, which raises the limit of time.
func (r *result) wrong(size int) string {
	lines := strings.Count(r.Said, "\n")
	switch {
	case r.Hung:
		return "hung"
	case r.Status != 0 && r.Status != 1:
		return fmt.Sprintf("status %d", r.Status)
	case strings.Contains(r.Said, "goroutine ") || strings.Contains(r.Said, "reader failed"):
		return "a panic"
	case r.Status == 1 && (lines != 1 || !strings.HasPrefix(r.Said, "shadeonce: ")):
		return fmt.Sprintf("%d lines instead of one", lines)
	case r.Time > mostTime*time.Duration(max(size, 1)):
		return fmt.Sprintf("%.1f s of processor time", r.Time.Seconds())
	case r.Memory > mostMemory:
		return fmt.Sprintf("%d MiB", r.Memory>>20)
	}
	return ""
}

// first returns the first line of a text, shortened.
func first(said string) string {
	line, _, _ := strings.Cut(said, "\n")
	return line[:min(len(line), 160)]
}
