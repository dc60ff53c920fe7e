//go:build js && wasm

// Command wasm is the page's worker in WebAssembly: it passes requests to package session.
//
// It calls the function shadeonceReady of the worker (web/src/worker.js) with a function that executes
// requests: request(json, progress, done). While it works, request calls progress(share) with the share of
// the work that it has finished. At the end it calls done(error) with an error's text, or
// done(null, answer, lists) with the answer as JSON and an object that holds the answer's lists as typed arrays.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/web/session"
)

func main() {
	var s session.Session
	request := js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, told, done := args[0].String(), args[1], args[2]
		go func() { // the caller must not block while files are read
			ctx := progress.With(context.Background(), func(share float64) { told.Invoke(share) })
			a, err := s.Do(ctx, []byte(text))
			if err != nil {
				done.Invoke(err.Error())
				return
			}
			lists := map[string]any{}
			for name, list := range a.Floats {
				lists[name] = typed("Float32Array", list)
			}
			for name, list := range a.Counts {
				lists[name] = typed("Uint32Array", list)
			}
			done.Invoke(nil, string(must.Get(json.Marshal(a.Value))), lists)
		}()
		return nil
	})
	js.Global().Call("shadeonceReady", request)
	select {}
}

// typed copies a list into a typed array.
func typed[T float32 | uint32](kind string, list []T) js.Value {
	bytes := js.Global().Get("Uint8Array").New(4 * len(list))
	js.CopyBytesToJS(bytes, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list)))
	return js.Global().Get(kind).New(bytes.Get("buffer"))
}
