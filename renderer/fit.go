package renderer

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

// DoesNotFit reports whether an error means that a device cannot hold what a frame needs: whether
// it, or an error that it wraps, has a method DoesNotFit.
func DoesNotFit(err error) bool {
	var large interface {
		error
		DoesNotFit()
	}
	return errors.As(err, &large)
}

// hostError says that the system has too little memory.
type hostError struct {
	need, have int64
	what       string
}

func (e *hostError) Error() string {
	need, have := bytesize.Texts(e.need, e.have)
	return fmt.Sprintf("%s need %s of memory, the system has %s free", e.what, need, have)
}

// DoesNotFit marks the error for the function of that name.
func (e *hostError) DoesNotFit() {}

// leastHostCheck is the least size for which CheckHost asks the system.
const leastHostCheck = 256 << 20

// CheckHost returns an error if a program needs more memory than the system has free. The system
// would otherwise end this program, or others. what is a plural noun.
func CheckHost(need int64, what string) error {
	if need < leastHostCheck {
		return nil
	}
	if have := bytesize.FreeMemory(); have == 0 || need <= have {
		return nil
	}
	debug.FreeOSMemory() // returns unused memory to the system
	return checkHost(need, bytesize.FreeMemory(), what)
}

func checkHost(need, have int64, what string) error {
	if have > 0 && need > have {
		return &hostError{need, have, what}
	}
	return nil
}
