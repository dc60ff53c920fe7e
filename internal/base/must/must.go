// Package must carries an error from deep within a reader to its first function, by a panic. No
// step of reading a file can continue after the first error, so the steps need not pass it up one
// by one. Failures never leave the package that reads, since its first function defers Catch. In
// a test, Get without Catch ends the test binary; it is for set-up that cannot fail.
package must

type failure struct{ error }

// OK ends reading if err is not nil.
func OK(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns v; if err is not nil, it ends reading.
func Get[T any](v T, err error) T {
	OK(err)
	return v
}

// Catch, deferred by a reader's first function, turns a failure into that function's error. Other
// panics continue.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}
