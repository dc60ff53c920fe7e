// Package web tests the page of web/dist in a real browser, against the packages that it is built
// from. It has only tests. They run if SHADEONCE_WEB is set, as make test-web does.
package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

const dist = "../../web/dist"

// page is the page in a browser of its own.
type page struct {
	t         testing.TB
	ctx       context.Context
	url       string
	downloads string
	ended     chan string // names of downloads that are complete
	close     func()      // ends the browser
}

// guard ends a test that hangs; even slow machines take less.
const guard = 30 * time.Minute

// open starts a browser and opens the page, served from a folder, with the given end of its address, from the # on.
func open(t testing.TB, link string, more ...chromedp.ExecAllocatorOption) *page {
	server := httptest.NewServer(http.StripPrefix("/a/folder", http.FileServer(http.Dir(dist))))
	t.Cleanup(server.Close)
	return openAt(t, server.URL+"/a/folder/", link, more...)
}

// needPage skips a test if the page is not built.
func needPage(t testing.TB) {
	if os.Getenv("SHADEONCE_WEB") == "" {
		t.Skip("SHADEONCE_WEB is not set: make test-web builds the page and runs these tests")
	}
}

func openAt(t testing.TB, url, link string, more ...chromedp.ExecAllocatorOption) *page {
	needPage(t)
	chromium, err := exec.LookPath("chromium")
	require.NoError(t, err, "scripts/setup.sh web-test installs it")
	folder := must.Get(os.MkdirTemp("", "shadeonce-web-"))
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // a browser that ends may still write into it
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.NoSandbox, chromedp.WindowSize(1280, 720),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(guard))
	flags = append(flags, more...)
	limited, end := context.WithTimeout(t.Context(), guard)
	t.Cleanup(end)
	allocated, end := chromedp.NewExecAllocator(limited, flags...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocated, chromedp.WithBrowserOption(chromedp.WithDialTimeout(guard)))
	p := &page{t: t, ctx: ctx, url: url, downloads: filepath.Join(folder, "downloads"), ended: make(chan string, 16)}
	p.close = sync.OnceFunc(func() { _ = chromedp.Cancel(ctx) })
	t.Cleanup(p.close)
	names := map[string]string{}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *browser.EventDownloadWillBegin:
			names[e.GUID] = e.SuggestedFilename
		case *browser.EventDownloadProgress:
			if e.State == browser.DownloadProgressStateCompleted {
				require.NoError(t, os.Rename(filepath.Join(p.downloads, e.GUID), filepath.Join(p.downloads, names[e.GUID])))
				p.ended <- names[e.GUID]
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s", e.ExceptionDetails.Error())
			end() // the test may otherwise wait for ever
		}
	})
	p.run(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(p.downloads).WithEventsEnabled(true))
	p.run(chromedp.Navigate(url + link))
	p.ready()
	return p
}

func (p *page) run(actions ...chromedp.Action) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Run(p.ctx, actions...))
}

// until waits until a condition in JavaScript holds.
func (p *page) until(condition string) {
	p.t.Helper()
	p.run(chromedp.Poll(condition, nil, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0)))
}

// ready waits until the page shows the requested picture, and its table is complete.
func (p *page) ready() {
	p.t.Helper()
	p.until(`document.body.dataset.state === 'ready' && (!document.getElementById('message').hidden ||
		document.querySelectorAll('#table tbody tr').length == document.getElementById('table').dataset.rows)`)
}

// get evaluates JavaScript.
func (p *page) get(script string) (text string) {
	p.t.Helper()
	p.run(chromedp.Evaluate(`String(`+script+`)`, &text))
	return text
}

func (p *page) text(id string) string {
	return p.get(`document.getElementById('` + id + `').textContent`)
}

// choose sets a control as a user would.
func (p *page) choose(id, value string) {
	p.t.Helper()
	p.get(`(() => { const s = document.getElementById('` + id + `'); s.value = '` + value + `'; s.dispatchEvent(new Event('change')); })()`)
}

// drop drops files on the page.
func (p *page) drop(paths ...string) {
	p.t.Helper()
	type file struct {
		Name string
		Data []byte
	}
	var files []file
	for _, path := range paths {
		files = append(files, file{filepath.Base(path), must.Get(os.ReadFile(path))})
	}
	p.get(`(() => {
		const data = new DataTransfer();
		for (const {Name, Data} of ` + string(must.Get(json.Marshal(files))) + `)
			data.items.add(new File([Uint8Array.from(atob(Data ?? ''), c => c.charCodeAt(0))], Name));
		document.body.dataset.state = 'busy';
		document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
	})()`)
	p.ready()
}

// save clicks a button that saves a file, and returns its name and contents.
func (p *page) save(id string) (string, []byte) {
	p.t.Helper()
	p.run(chromedp.Click("#"+id, chromedp.ByQuery))
	select {
	case name := <-p.ended:
		return name, must.Get(os.ReadFile(filepath.Join(p.downloads, name)))
	case <-p.ctx.Done():
		p.t.Fatal("no download")
	}
	return "", nil
}
