package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runChanged cuts a large file short, or writes to it, while it is read; such files are mapped.
// The time of the change is random, and the program may have ended by then.
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
