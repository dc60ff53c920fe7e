// Package must carries an error from the depth of a reader to its first function, by
// a panic. No step of reading a file can go on after the first error, so the steps
// need not hand it up one by one. Failures never leave the package that reads: its
// first function defers Catch. In a test, Get without Catch ends the test binary: it is for
// set-up that cannot fail.
package must

type failure struct{ error }

// OK ends reading if err is an error.
func OK(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get is v, unless err is an error, which ends reading.
func Get[T any](v T, err error) T {
	OK(err)
	return v
}

// Catch, deferred by a reader's first function, makes a failure its error. Other
// panics go on.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}
