// Package must carries an error from deep within long work to the function that began the work, by
// a panic. Work such as reading a file cannot continue after the first error, so its steps need not
// pass the error up one by one. The function that began the work defers Catch, so a failure never
// leaves that function's package, nor the goroutine in which it occurs. In a test, Get without Catch
// ends the test binary; it is for set-up that cannot fail.
package must

import "fmt"

type failure struct{ error }

// OK ends the work if err is not nil.
func OK(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns v; if err is not nil, it ends the work.
func Get[T any](v T, err error) T {
	OK(err)
	return v
}

// Get2 is Get for two values.
func Get2[A, B any](a A, b B, err error) (A, B) {
	OK(err)
	return a, b
}

// Fail ends the work with an error.
func Fail(format string, args ...any) { OK(fmt.Errorf(format, args...)) }

// Place, deferred by a function, puts a place before the error of a failure in that function:
// "place: cause".
func Place(format string, args ...any) {
	switch p := recover().(type) {
	case nil:
	case failure:
		Fail("%s: %w", fmt.Sprintf(format, args...), p.error)
	default:
		panic(p)
	}
}

// Catch, deferred by the function that began the work, turns a failure into that function's error.
// Other panics continue.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}
