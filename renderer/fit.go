package renderer

import "errors"

// DoesNotFit says whether an error is that a device cannot hold what a frame needs:
// whether it, or one that it wraps, has a method of that name.
func DoesNotFit(err error) bool {
	var large interface {
		error
		DoesNotFit()
	}
	return errors.As(err, &large)
}
