//go:build !race

package main

// raceDetector has the viewer under test built as the tests are.
const raceDetector = false
