package load

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchRest is how long a file must stay unchanged before it is reopened, since programs write in
// pieces.
const watchRest = 250 * time.Millisecond

// Watcher reports when one of its files changes or disappears. It watches their folders, since many
// programs write another file and rename it.
type Watcher struct {
	wake    func()
	notify  *fsnotify.Watcher // nil if the system offers no notifications
	folders []string
	lock    sync.Mutex
	paths   []string
	changed bool
	pending *time.Timer
}

// NewWatcher returns a watcher that calls wake, on another goroutine, when Take has a change to report. If the system
// offers no notifications, no change is ever reported.
func NewWatcher(wake func()) *Watcher {
	w := NewDeafWatcher(wake)
	w.start(w.Hear)
	return w
}

// start makes the system's notifications call `hear`.
func (w *Watcher) start(hear func(path string)) {
	if notify, err := fsnotify.NewWatcher(); err == nil {
		w.notify = notify
		go listen(notify, hear)
	}
}

// NewDeafWatcher returns a watcher without the system's notifications; tests call Hear.
func NewDeafWatcher(wake func()) *Watcher { return &Watcher{wake: wake} }

func listen(notify *fsnotify.Watcher, hear func(path string)) {
	for {
		select {
		case e, open := <-notify.Events:
			if !open {
				return
			}
			if e.Has(fsnotify.Write) || e.Has(fsnotify.Create) || e.Has(fsnotify.Rename) || e.Has(fsnotify.Remove) {
				hear(e.Name)
			}
		case _, open := <-notify.Errors: // events may be lost after an error: wait for the next one
			if !open {
				return
			}
		}
	}
}

// Hear records a change of a file, if it is watched, and delays the report until the file has stayed unchanged for watchRest.
func (w *Watcher) Hear(path string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !slices.Contains(w.paths, filepath.Clean(path)) {
		return
	}
	if w.pending != nil {
		w.pending.Stop()
	}
	w.pending = time.AfterFunc(watchRest, func() {
		w.lock.Lock()
		w.changed = w.changed || slices.Contains(w.paths, filepath.Clean(path))
		w.lock.Unlock()
		w.wake()
	})
}

// Watch replaces the watched files. It skips built-in scenes, which never change. If the first file is
// not the same as before, a change that Take has not yet reported is dropped.
func (w *Watcher) Watch(files ...string) {
	if w == nil {
		return
	}
	var paths, folders []string
	for _, file := range files {
		if path, err := filepath.Abs(file); err == nil && !strings.HasPrefix(file, "asset:") {
			paths, folders = append(paths, path), append(folders, filepath.Dir(path))
		}
	}
	w.lock.Lock()
	w.changed = w.changed && len(paths) > 0 && len(w.paths) > 0 && paths[0] == w.paths[0]
	w.paths = paths
	w.lock.Unlock()
	if w.notify == nil {
		return
	}
	for _, folder := range w.folders {
		if !slices.Contains(folders, folder) {
			_ = w.notify.Remove(folder) // it may be gone
		}
	}
	slices.Sort(folders)
	w.folders = slices.DeleteFunc(slices.Compact(folders), func(folder string) bool {
		return !slices.Contains(w.folders, folder) && w.notify.Add(folder) != nil
	})
}

// Take reports whether a watched file has changed since the last call.
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

// Close ends the system's notifications.
func (w *Watcher) Close() {
	if w != nil && w.notify != nil {
		_ = w.notify.Close()
	}
}
