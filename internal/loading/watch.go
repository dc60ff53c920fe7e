package loading

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchRest is how long a file must stay as it is before it is opened anew:
// programs write in pieces.
const watchRest = 250 * time.Millisecond

// Watcher tells when the file on the screen changes. It watches the folder, since
// many programs write another file and rename it.
type Watcher struct {
	wake    func()
	notify  *fsnotify.Watcher // nil where the system has none to give
	folder  string
	lock    sync.Mutex
	path    string
	changed bool
	pending *time.Timer
}

// NewWatcher begins to listen; without the system's help nothing ever changes.
func NewWatcher(wake func()) *Watcher {
	w := &Watcher{wake: wake}
	var err error
	if w.notify, err = fsnotify.NewWatcher(); err != nil {
		w.notify = nil
		return w
	}
	go w.listen()
	return w
}

func (w *Watcher) listen() {
	for {
		select {
		case e, open := <-w.notify.Events:
			if !open {
				return
			}
			if e.Has(fsnotify.Write) || e.Has(fsnotify.Create) || e.Has(fsnotify.Rename) {
				w.hear(e.Name)
			}
		case _, open := <-w.notify.Errors: // events may be lost: then the next one is waited for
			if !open {
				return
			}
		}
	}
}

// hear puts a change off until the file has rested.
func (w *Watcher) hear(path string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.path == "" || filepath.Clean(path) != w.path {
		return
	}
	if w.pending != nil {
		w.pending.Stop()
	}
	w.pending = time.AfterFunc(watchRest, func() {
		w.lock.Lock()
		w.changed = w.path == filepath.Clean(path)
		w.lock.Unlock()
		w.wake()
	})
}

// Watch follows a file in place of the last one; built-in scenes never change.
func (w *Watcher) Watch(file string) {
	if w == nil || w.notify == nil {
		return
	}
	path, err := filepath.Abs(file)
	if err != nil || strings.HasPrefix(file, "asset:") {
		path = ""
	}
	w.lock.Lock()
	if w.path == path {
		w.lock.Unlock()
		return
	}
	w.path, w.changed = path, false
	w.lock.Unlock()
	folder := ""
	if path != "" {
		folder = filepath.Dir(path)
	}
	if folder == w.folder {
		return
	}
	if w.folder != "" {
		_ = w.notify.Remove(w.folder) // it may be gone
	}
	if w.folder = folder; folder != "" && w.notify.Add(folder) != nil {
		w.folder = ""
	}
}

// Take reports, once, that the file has changed.
func (w *Watcher) Take() bool {
	if w == nil {
		return false
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	changed := w.changed
	w.changed = false
	return changed
}

// Close ends listening.
func (w *Watcher) Close() {
	if w != nil && w.notify != nil {
		_ = w.notify.Close()
	}
}
