package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/vertexshader"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// timeRest is the time between two pictures while time runs.
const timeRest = 16 * time.Millisecond

// shaderEditor follows the file of --vertex-shader and its uniforms file. A nil editor
// follows nothing.
type shaderEditor struct {
	flags  cli.ShaderFlags
	opened *vertexshader.Shader // the last one that could be opened
	failed []string             // why the files as they are now cannot be; empty where they can

	wake                    func()
	shaderFile, uniformFile *loading.Watcher // nil: changes are not followed
	results                 chan openedShader
	busy, again             bool // being opened; changed meanwhile
	keep                    bool // what was edited: only the shader's file has changed
	stop                    context.CancelFunc

	values []vertexshader.Value // of the shader below
	of     *vertexshader.Shader

	runs bool // time does
	last time.Time
}

type openedShader struct {
	shader *vertexshader.Shader
	err    error
}

// openShader compiles the vertex shader that the flags name, for all settings that the
// viewer may begin with.
func (o *options) openShader() (*vertexshader.Shader, error) {
	shader, err := o.shader.Open(os.Stderr, o.view)
	if err != nil {
		return nil, err
	}
	o.settings.Shader = shader
	if o.fallback != nil {
		o.fallback.Shader = shader
	}
	if o.plain != nil {
		o.plain.settings.Shader = shader
	}
	return shader.File, nil
}

// newShaderEditor follows a shader that has been opened; nil for none.
func newShaderEditor(flags cli.ShaderFlags, shader *vertexshader.Shader, wake func()) *shaderEditor {
	if shader == nil {
		return nil
	}
	return &shaderEditor{flags: flags, opened: shader, wake: wake, results: make(chan openedShader, 1), stop: func() {}, runs: true}
}

// watch has changes of the files followed.
func (e *shaderEditor) watch(newWatcher func(wake func()) *loading.Watcher) {
	if e == nil {
		return
	}
	e.shaderFile, e.uniformFile = newWatcher(e.wake), newWatcher(e.wake)
	e.shaderFile.Watch(vertexshader.Files(e.flags.Name)...)
	if e.flags.Uniforms != "" {
		e.uniformFile.Watch(e.flags.Uniforms)
	}
}

func (e *shaderEditor) close() {
	if e != nil {
		e.stop()
		e.shaderFile.Close()
		e.uniformFile.Close()
	}
}

// reopen opens the files again, beside the frame loop.
func (e *shaderEditor) reopen() {
	if e.again = e.busy; e.busy {
		return
	}
	e.busy = true
	var ctx context.Context
	ctx, e.stop = context.WithCancel(context.Background())
	go func(f cli.ShaderFlags) {
		shader, err := vertexshader.Open(ctx, f.Name, f.Entry, f.Uniforms)
		e.results <- openedShader{shader, err}
		e.wake()
	}(e.flags)
}

// take returns what reopening brought; false where it brought nothing.
func (e *shaderEditor) take() (openedShader, bool) {
	select {
	case r := <-e.results:
		e.stop()
		if e.busy = false; e.again {
			e.reopen()
		}
		return r, true
	default:
		return openedShader{}, false
	}
}

// followShader shows the shader as its files are now, and lets time pass. What cannot be
// opened is told, and the picture stays.
func (a *app) followShader() {
	e := a.shader
	if e == nil {
		return
	}
	shader, uniforms := e.shaderFile.Take(), e.uniformFile.Take()
	if shader { // it may include others now
		e.shaderFile.Watch(vertexshader.Files(e.flags.Name)...)
	}
	if shader || uniforms {
		e.keep = !uniforms && (e.keep || !e.busy)
		e.reopen()
	}
	if r, some := e.take(); some {
		a.takeShader(r)
	}
	now := time.Now()
	if a.timeRuns() && !e.last.IsZero() {
		a.Time += float32(now.Sub(e.last).Seconds())
	}
	e.last = now
}

func (a *app) takeShader(r openedShader) {
	e := a.shader
	a.unshown, a.rest, e.failed = true, guiRest, nil
	if r.err != nil {
		e.failed = []string{r.err.Error()}
		var compiled *vertexshader.CompileError
		if errors.As(r.err, &compiled) {
			e.failed = compiled.Lines
		}
		if a.panels {
			fmt.Fprintf(a.stderr, "%s: %v\n", programName, r.err)
		} else {
			a.say(r.err)
		}
		return
	}
	before, s := e.opened, &a.Want
	e.opened = r.shader
	if s.Shader.File == nil {
		return
	}
	if e.keep {
		r.shader = r.shader.Keep(before, s.Shader.File)
	}
	if s.Shader.File = r.shader; s.Shader.Shown != "" && !slices.Contains(r.shader.Outputs(), s.Shader.Shown) {
		a.say(fmt.Errorf("%s has no output %s any more", r.shader.File, s.Shader.Shown))
		s.View, s.Shader.Shown = renderer.Shaded, ""
	}
}

// timeRuns reports whether what is shown moves with time.
func (a *app) timeRuns() bool {
	e, file := a.shader, a.Shown.Left.Settings.Shader.File
	if e == nil || !e.runs || file == nil || !file.Follows(renderer.Time) || a.Shown.Left.Applied != nil || a.walked != nil {
		return false
	}
	_, timing := a.untimed() // which needs the device
	return a.quota == 0 && a.turn.frames == 0 && !timing
}

// timeDue is how long it is until the next picture while time runs; negative for never.
func (a *app) timeDue() time.Duration {
	if !a.timeRuns() {
		return -1
	}
	return max(0, timeRest-time.Since(a.shader.last))
}

// choices are values of a knob that the shader adds, and what sets them.
func (e *shaderEditor) choices(k *views.Knob) (names []string, set func(*views.Settings, int)) {
	if e == nil {
		return nil, nil
	}
	shader := cli.VertexShader{File: e.opened}
	switch k {
	case &views.LoadKnob:
		return []string{shader.Name()}, func(s *views.Settings, _ int) { s.Shader = shader }
	case &views.ViewKnob:
		for _, output := range e.opened.Outputs() {
			names = append(names, cli.VaryingView+output)
		}
		return names, func(s *views.Settings, i int) {
			shader.Shown = strings.TrimPrefix(names[i], cli.VaryingView)
			s.View, s.Shader = renderer.Varying, shader
		}
	}
	return nil, nil
}

// shown is the shader that the settings ask for; nil where that is another.
func (a *app) shownShader() *vertexshader.Shader {
	if a.shader == nil {
		return nil
	}
	return a.Want.Shader.File
}
