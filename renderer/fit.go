package renderer

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

// DoesNotFit says whether an error is that a device cannot hold what a frame needs:
// whether it, or one that it wraps, has a method of that name.
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

// DoesNotFit is what the function of that name looks for.
func (e *hostError) DoesNotFit() {}

// leastHostCheck is from how many bytes on the system is asked what it has free.
const leastHostCheck = 256 << 20

// CheckHost refuses to allocate more memory than the system has free. The system would end
// the program, or others. what is in the plural.
func CheckHost(need int64, what string) error {
	if need < leastHostCheck {
		return nil
	}
	if have := bytesize.FreeMemory(); have == 0 || need <= have {
		return nil
	}
	debug.FreeOSMemory() // what the program holds and does not use
	return checkHost(need, bytesize.FreeMemory(), what)
}

func checkHost(need, have int64, what string) error {
	if have > 0 && need > have {
		return &hostError{need, have, what}
	}
	return nil
}
