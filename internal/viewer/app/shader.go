package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

const timeRest = 16 * time.Millisecond // the time between two pictures while time runs

// ShaderEditor watches the file of --vertex-shader and its uniforms file. A nil editor does
// nothing.
type ShaderEditor struct {
	progress.Job[openedShader] // opens the files again
	flags                      cli.ShaderFlags
	opened                     *shade.Shader // the last shader that could be opened

	Failed []string // why the present files cannot be opened; empty if they can

	// Missing are lines to add to the uniforms file, for the values that the opened shader lacks; nil
	// if it lacks none, or could not be opened.
	Missing []string

	shaderFile, uniformFile *load.Watcher // nil if changes are not followed
	again                   bool          // the files have changed since they were last opened
	keep                    bool          // whether edited values are kept, since only the shader's file has changed

	Values []shade.Value // values of the shader `Of`
	Of     *shade.Shader // the shader that the panel shows

	Runs bool // whether time runs in the picture
	last time.Time
}

type openedShader struct {
	shader *shade.Shader
	err    error
}

// OpenShader compiles the vertex shader that the flags name, for all settings with which the viewer may start.
func (o *Options) OpenShader() (*shade.Shader, error) {
	shader, err := o.ShaderFlags.Open(os.Stderr)
	if err != nil {
		return nil, err
	}
	o.Want.Shader = shader
	if o.plain != nil {
		o.plain.Want.Shader = shader
	}
	return shader, nil
}

// newShaderEditor returns an editor for a shader that was opened from a file; nil if there is no shader, and for shade.Captured.
func newShaderEditor(flags cli.ShaderFlags, shader *shade.Shader, wake func()) *ShaderEditor {
	if shader == nil || shader == shade.Captured {
		return nil
	}
	e := &ShaderEditor{Job: progress.NewJob[openedShader](wake), flags: flags, Runs: true}
	e.take(shader)
	return e
}

// take stores a shader as the last one that could be opened.
func (e *ShaderEditor) take(shader *shade.Shader) {
	if e.opened = shader; shader.Missing != nil {
		e.Missing = shader.Missing.Lines
	}
}

// watch starts to watch the files for changes.
func (e *ShaderEditor) watch(newWatcher func(wake func()) *load.Watcher, wake func()) {
	if e == nil {
		return
	}
	e.shaderFile, e.uniformFile = newWatcher(wake), newWatcher(wake)
	e.shaderFile.Watch(e.flags.Source().Files()...)
	if e.flags.Uniforms != "" {
		e.uniformFile.Watch(e.flags.Uniforms)
	}
}

func (e *ShaderEditor) close() {
	if e != nil {
		e.GiveUp()
		e.shaderFile.Close()
		e.uniformFile.Close()
	}
}

// reopen opens the files again without blocking the frame loop.
func (e *ShaderEditor) reopen() {
	if e.again = e.Busy; e.Busy {
		return
	}
	f := e.flags
	e.Start(context.Background(), load.ShowRest, func(ctx context.Context) openedShader {
		shader, err := shade.Open(ctx, f.Source())
		return openedShader{shader, err}
	})
}

// followShader opens the shader's files again after a change, and advances the shader's time. If the files
// cannot be opened, it reports the error and keeps the picture.
func (a *App) followShader() {
	e := a.Shader
	if e == nil {
		return
	}
	shader, uniforms := e.shaderFile.Take(), e.uniformFile.Take()
	if shader { // the shader's includes may have changed
		e.shaderFile.Watch(e.flags.Source().Files()...)
	}
	if shader || uniforms {
		e.keep = !uniforms && (e.keep || !e.Busy)
		e.reopen()
	}
	if r, some := e.Take(); some {
		if e.again {
			e.reopen()
		}
		a.takeShader(r)
	}
	now := time.Now()
	if a.timeRuns() && !e.last.IsZero() {
		a.Time += float32(now.Sub(e.last).Seconds())
	}
	e.last = now
}

func (a *App) takeShader(r openedShader) {
	e := a.Shader
	a.Unshown, a.rest, e.Failed, e.Missing = true, guiRest, nil, nil
	if r.err != nil {
		e.Failed = []string{r.err.Error()}
		var compiled *shade.CompileError
		if errors.As(r.err, &compiled) {
			e.Failed = compiled.Lines
		}
		if a.Panels {
			fmt.Fprintf(a.Stderr, "%s: %v\n", ProgramName, r.err)
		} else {
			a.say(r.err)
		}
		return
	}
	before, s := e.opened, &a.Want
	e.take(r.shader)
	if s.Shader == nil {
		return
	}
	if e.keep {
		r.shader = r.shader.Keep(before, s.Shader)
	}
	if s.Shader = r.shader; s.Shown != "" && !slices.Contains(r.shader.Outputs(), s.Shown) {
		a.say(fmt.Errorf("%s has no output %s any more", r.shader.File, s.Shown))
		s.View, s.Shown = renderer.Shaded, ""
	}
}

// AddMissing adds the missing values to the uniforms file. Without one it creates a file named after the shader.
func (a *App) AddMissing() {
	e := a.Shader
	flags, path := os.O_APPEND|os.O_WRONLY, e.flags.Uniforms
	if path == "" {
		flags, path = os.O_CREATE|os.O_EXCL|os.O_WRONLY, strings.TrimSuffix(e.flags.Name, filepath.Ext(e.flags.Name))+".yaml"
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err == nil {
		_, err = f.WriteString("\n" + strings.Join(e.Missing, "\n") + "\n")
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		a.say(fmt.Errorf("the values are not added: %w", err))
		return
	}
	e.Missing = nil
	e.flags.Uniforms, a.ShaderFlags.Uniforms = path, path
	if e.uniformFile != nil {
		e.uniformFile.Watch(path)
	}
	e.keep = false
	e.reopen()
}

// timeRuns reports whether the picture changes with time.
func (a *App) timeRuns() bool {
	e, shader := a.Shader, a.Shown.Left.Settings.Shader
	if e == nil || !e.Runs || shader == nil || !shader.Follows(geometry.Time) || a.Shown.Left.Applied != nil || a.Walked != nil {
		return false
	}
	_, timing := a.untimed() // timing strategies needs the device
	return a.quota == 0 && a.turn.frames == 0 && !timing
}

// timeDue returns the time until the next picture while time runs; negative means never.
func (a *App) timeDue() time.Duration {
	if !a.timeRuns() {
		return -1
	}
	return max(0, timeRest-time.Since(a.Shader.last))
}

// Choices returns the values that the shader adds to a setting, and a function that chooses one of them. Both are nil if it adds none.
func (e *ShaderEditor) Choices(k *model.Setting) (names []string, set func(*model.Settings, int)) {
	if e == nil {
		return nil, nil
	}
	shader := e.opened
	switch k.Flag {
	case "load":
		return []string{shader.Name()}, func(s *model.Settings, _ int) { s.Shader, s.Shown = shader, "" }
	case "view":
		for _, output := range e.opened.Outputs() {
			names = append(names, cli.VaryingView+output)
		}
		return names, func(s *model.Settings, i int) {
			s.View, s.Shader, s.Shown = renderer.Varying, shader, cli.ShownOf(names[i])
		}
	}
	return nil, nil
}

// ShownShader returns the shader that the settings ask for; nil if there is none, or no editor.
func (a *App) ShownShader() *shade.Shader {
	if a.Shader == nil {
		return nil
	}
	return a.Want.Shader
}
