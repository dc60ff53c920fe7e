package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// ProgramName is the program's name in the shell, on the desktop and in the documents.
const ProgramName = "shadeonce-viewer"

const defaultScene = "asset:terrain64" // shown if no file is given

// Options are the command line's options, and what the viewer remembers of its last run.
type Options struct {
	model.State // the initial state
	RunFlags

	files         []string
	Width, Height int  // screen units
	Fits          bool // whether the window's size is the standard one, which grows with the scale and fits the monitor

	seen        bool                    // the first start's comparison was shown
	introduces  bool                    // whether the first picture is that comparison
	kept        map[string]string       // flags that the user keeps for the next start
	plain       *model.State            // the initial state without remembered settings; nil if none are remembered
	Place       *Place                  // the window's place; nil leaves it to the display
	panelPlaces map[string]layout.Place // places of panels that were moved
	recent      []string                // recent files
}

// RunFlags are the viewer's flags that are not settings.
type RunFlags struct {
	Device     string
	size       string
	Scale      float64 // of text and panels; 0 leaves it to the display
	Validation bool
	Frames     int    // number of frames before the viewer ends; 0 means no limit
	turntable  int    // number of pictures before the viewer ends
	remember   bool   // restore the last settings at the start and save them at the end
	watch      bool   // open files again when they change
	desktop    bool   // show errors in windows
	from       string // a saved picture whose settings the viewer begins with
}

// remembers reports whether the viewer restores and saves settings.
func (f *RunFlags) remembers() bool { return f.remember && f.Frames == 0 && f.turntable == 0 }

// LeastScale and MostScale are the limits of the scale.
const LeastScale, MostScale = .5, 4

const standardSize = "1280x720" // the default window size at a scale of 1

// add adds all flags of the viewer.
func (f *RunFlags) add(flags *pflag.FlagSet) {
	model.AddFlags(flags)
	new(cli.ShaderFlags).Add(flags)
	new(cli.MarkFlags).Add(flags)
	new(cli.SubdivideFlags).Add(flags)
	cli.AddDevice(flags, &f.Device)
	flags.StringVar(&f.from, "from", "", "begin as a `picture` was made that this viewer saved; flags go first")
	flags.IntVar(&f.turntable, "turntable", 0, "save a turn about the scene as so many pictures, and exit; 1 saves one picture")
	flags.BoolVar(&f.watch, "watch", true, "reopen a file when it changes")
	flags.BoolVar(&f.remember, "remember", true, "begin with the settings and the window that the viewer was left with, and keep them; flags go first")
	flags.BoolVar(&f.desktop, "desktop", false, "show errors in a window, for menus, which have no terminal")
	flags.StringVar(&f.size, "size", standardSize, "window size (the default grows with the scale, and fits the monitor)")
	flags.Float64Var(&f.Scale, "scale", 0, fmt.Sprintf("enlarge text and panels by so much, %v to %v (default: as the display asks)", LeastScale, MostScale))
	flags.BoolVar(&f.Validation, "validation", false, "run under Vulkan's validation layer (or set SHADEONCE_VALIDATION=1); any message makes the exit status 1")
	flags.IntVar(&f.Frames, "frames", 0, "draw so many frames while turning, print the time per frame, and exit; without panels, but where --panels is given")
}

// begin parses the command line, and adds the settings of a picture (--from) or else of the viewer's
// last run. Flags of the command line take precedence over them.
func (f *RunFlags) begin(flags *pflag.FlagSet, args []string) (Options, error) {
	if f.from != "" {
		return f.beginFrom(flags, args)
	}
	if !f.remembers() {
		o, err := f.options(flags, args)
		return o, cli.AsUsage(err)
	}
	plain, plainErr := f.options(flags, args)
	named := model.Names(flags)
	m, err := recall(memoryPath())
	if err == nil {
		// Settings saved at every exit come last: they are newer than those that the user chose to keep.
		err = cmp.Or(model.ApplyFlags(m.Kept, model.OnKeep, flags), applyStamp(m.Stamp, model.Always, flags))
	}
	if err == nil {
		var o Options
		if o, err = f.options(flags, args); err == nil {
			o.Place, o.panelPlaces, o.recent, o.seen, o.kept = m.Window, m.Panels, m.Recent, m.Seen, m.Kept
			if plainErr == nil {
				o.plain = &plain.State
			}
			if !named && !m.Seen {
				o.introduces, o.Compare, o.Other.Strategy = true, model.CompareSplit, model.WithoutReuse
			}
			return o, nil
		}
	}
	return plain, cli.AsUsage(plainErr) // the saved settings do not fit: use only the command line's flags
}

// beginFrom begins with the settings of a saved picture.
func (f *RunFlags) beginFrom(flags *pflag.FlagSet, args []string) (o Options, err error) {
	defer must.Catch(&err)
	_, own := f.options(flags, args)
	s := must.Get(picture.ReadStamp(f.from))
	must.OK(measure.About(f.from, applyStamp(s, model.Pictures, flags)))
	if len(args) == 0 {
		args = s.Files
	}
	if o, err = f.options(flags, args); err != nil && own != nil {
		return o, cli.AsUsage(own)
	}
	o.remember = false
	return o, measure.About(f.from+": settings", err)
}

// applyStamp sets the flags that a stamp has and that the command line did not set. A stamp sets no flag
// that names a device or an output file.
func applyStamp(s picture.Stamp, kept model.Kept, flags *pflag.FlagSet) error {
	if size, there := s.Flags["size"]; there && !flags.Changed("size") {
		_ = flags.Lookup("size").Value.Set(size) // the flag's type is string, so Set cannot fail
	}
	return model.ApplyFlags(s.Flags, kept, flags)
}

// options returns the options of a command line. It checks everything that does not need a window.
func (f *RunFlags) options(flags *pflag.FlagSet, files []string) (o Options, err error) {
	o.RunFlags, o.files = *f, files
	if err := cmp.Or(o.ReadFlags(flags), cli.CheckAssets(files)); err != nil {
		return o, err
	}
	o.remember = f.remembers()
	o.Panels, o.watch = o.Panels && (o.Frames == 0 || flags.Changed("panels")), o.watch && o.Frames == 0 && o.turntable == 0
	if len(files) == 0 {
		o.files = []string{defaultScene}
	}
	switch {
	case ListColumn(o.Listed.Sort) < 0:
		return o, names.Unknown("--sort", o.Listed.Sort, inspect.DrawSorts())
	case flags.Changed("turntable") && (o.turntable < 1 || o.turntable > maxTurntable):
		return o, cli.Usagef("--turntable %d: must be 1 to %d", o.turntable, maxTurntable)
	case o.Scale != 0 && !(o.Scale >= LeastScale && o.Scale <= MostScale):
		return o, cli.Usagef("--scale %v: must be %v to %v", o.Scale, LeastScale, MostScale)
	case o.Frames < 0:
		return o, cli.Usagef("--frames %d: must not be negative", o.Frames)
	}
	o.Fits = !flags.Changed("size") && f.size == standardSize && o.Frames == 0 && o.turntable == 0
	o.Width, o.Height, err = cli.ParseSize(f.size)
	return o, err
}

// completeValues completes the values of flags that take a name.
func completeValues(cmd *cobra.Command) {
	values := map[string][]string{"compare": reuse.Choices(), "compare-view": model.CompareViews, "sort": inspect.DrawSorts()}
	for _, flag := range []string{"up", "app", "side", "strategy", "lanes", "load", "raster"} {
		values[flag] = model.ByFlag(flag).Values
	}
	for _, flag := range []string{"queue-budget", "device-budget"} {
		values[flag] = []string{"16MiB", "64MiB", "256MiB", "1GiB"}
	}
	cli.CompleteValues(cmd, values)
}

// NewCommand makes the viewer's command, which calls `start` with its options.
func NewCommand(start func(Options) error) *cobra.Command {
	var f RunFlags
	cmd := &cobra.Command{
		Use:   ProgramName + " [FILE...]",
		Short: "Show meshes in a window, coloured by how often each vertex was shaded",
		Long: "Show meshes in a window, coloured by how often each vertex was shaded.\n\n" +
			"A file may be asset:NAME, a built-in scene: " + strings.Join(names.Of(assets.All, assets.Asset.Form), ", ") + " (default " + defaultScene + ").\n" +
			"H shows the keys. Every flag that says what is shown can be changed in the panels.\n\n" +
			"--turntable 1 saves one picture and exits. shadeonce render draws one strategy's picture without a display.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.begin(cmd.Flags(), args)
			if err != nil {
				return err
			}
			files, err := cli.Files(o.files)
			if err == nil {
				err = checkOnly(files)
			}
			if err == nil {
				o.files = files
			} else if !o.desktop { // with --desktop, opening the file reports the error
				return err
			}
			return start(o)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError{Err: err} })
	f.add(cmd.Flags())
	cli.ExplainFlags(cmd.Flags())
	cli.AddManual(cmd)
	completeValues(cmd)
	return cmd
}

// checkOnly returns an error if there is only one file and it does not exist. The command reports this error even without a display.
func checkOnly(files []string) error {
	path := files[0]
	if len(files) > 1 || path == "" || path == cli.Standard || strings.HasPrefix(path, cli.AssetPrefix) {
		return nil
	}
	_, err := os.Stat(path)
	return measure.About(path, atomicfile.Cause(err))
}

// memory holds what the viewer keeps between runs: settings, in the form of a stamp, and the places
// of the window and the panels.
type memory struct {
	picture.Stamp
	Kept   map[string]string       `json:"kept,omitempty"` // flags of settings that the user keeps
	Seen   bool                    `json:"seen,omitempty"` // the first start's comparison was shown
	Window *Place                  `json:"window,omitempty"`
	Panels map[string]layout.Place `json:"panels,omitempty"` // places of panels that were moved
	Recent []string                `json:"recent,omitempty"` // files, the latest first
}

// Place is where a window is, in screen units.
type Place struct{ X, Y int }

// memoryPath returns the file of the memory, following the XDG base directory specification.
func memoryPath() string { return filepath.Join(xdg.StateHome, "shadeonce", "viewer.json") }

// recall reads the memory of the last run from its file. If there is no file, it returns an empty memory.
func recall(path string) (m memory, err error) {
	defer must.Catch(&err)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	must.OK(err)
	defer file.Close()
	text := must.Get(io.ReadAll(io.LimitReader(file, picture.MaxStampBytes+1)))
	stamp, err := picture.ParseStamp(text)
	must.OK(measure.About(path, err))
	if json.Unmarshal(text, &m) != nil {
		m = memory{} // only the stamp is readable
	}
	m.Stamp, m.Recent = stamp, m.Recent[:min(len(m.Recent), keptRecent)]
	return m, nil
}

// keep writes the memory to its file, completely or not at all.
func (m *memory) keep(path string) (err error) {
	defer must.Catch(&err)
	text := must.Get(json.MarshalIndent(m, "", "\t"))
	must.OK(os.MkdirAll(filepath.Dir(path), 0o700))
	return atomicfile.File(path, 0o600, func(file *os.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// memory returns what the viewer keeps of the current state for its next run.
func (a *App) memory() memory {
	frame := a.Bounds()
	flags := a.Flags(model.Always)
	flags["size"] = fmt.Sprintf("%dx%d", frame.Dx(), frame.Dy())
	return memory{
		Stamp: picture.Stamp{Version: picture.StampVersion, Flags: flags}, Kept: a.kept, Seen: a.seen,
		Window: &Place{frame.Min.X, frame.Min.Y}, Panels: a.ui.Moved(), Recent: a.Recent,
	}
}

// KeepSettings saves the current settings for the next start, except those that belong to a
// scene.
func (a *App) KeepSettings() {
	s := a.State
	s.Want = s.Want.Ours()
	a.kept = s.Flags(model.OnKeep)
	a.done("the next start begins with these settings")
}

// ForgetSettings returns to the command line's settings, also for the next start.
func (a *App) ForgetSettings() {
	a.kept = nil
	a.ResetSettings(&a.Plain)
}
