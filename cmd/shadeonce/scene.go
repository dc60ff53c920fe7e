package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
)

// openScene opens a file, or makes a built-in scene for asset:NAME. The scene's
// name is safe to print.
func openScene(path string) (*geometry.Scene, error) {
	if path == "" {
		return nil, usagef("a file name is empty")
	}
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return assets.Make(name)
	}
	var s *geometry.Scene
	if err := untilInterrupted(func(ctx context.Context) (err error) {
		s, err = capture.Open(ctx, path) // which may leave something to be cleared away
		return err
	}); err != nil {
		return nil, err
	}
	s.Name = printable(s.Name)
	return s, nil
}

// eachScene opens the files, and hands on each in every order asked for. The
// file and the order are named in what goes wrong with it.
func (f *strategyFlags) eachScene(paths []string, do func(path, order string, s *geometry.Scene) error) error {
	for _, path := range paths {
		scene, err := openScene(path)
		if err != nil {
			return err
		}
		for _, name := range f.orders {
			ordered, err := order.Apply(context.Background(), scene, name)
			if err != nil {
				return err
			}
			if err := withFaults(func() error { return do(path, name, ordered) }); err != nil {
				return fmt.Errorf("%s: order %s: %w", path, name, err)
			}
		}
	}
	return nil
}

// withFaults makes an error of what a mapped file has lost since it was opened.
func withFaults(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if fault, ok := p.(interface{ Addr() uintptr }); ok && fault.Addr() != 0 {
			err = errors.New("part of the file was lost while it was in use: it was cut short, or the disk failed")
		} else if p != nil {
			panic(p)
		}
	}()
	return do()
}

func assetNames() string {
	names := make([]string, len(assets.All))
	for i, a := range assets.All {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
