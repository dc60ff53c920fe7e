package main

import (
	"os"
	"os/signal"
	"syscall"
)

// clearOnSignals has a signal that ends the program, such as Ctrl-C's, first clear
// away what would stay behind. A second one ends it at once. What it returns ends
// that.
func clearOnSignals(clear func()) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			clear()
			os.Exit(128 + int(s.(syscall.Signal))) // as a shell has it
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
