package applications

import "fmt"

// Fits refuses work that needs more bytes than the system has free. what says what the
// work is.
func Fits(need int64, what string) error { return fits(need, 0, what) }

// FitsWalk refuses a walk that needs more memory than the system has free.
func FitsWalk(agents, grid int) error {
	return fitsWalk(bytesPerAgent, agents, grid)
}

func fitsWalk(perAgent int64, agents, grid int) error {
	need := perAgent*int64(agents) + bytesPerCell*int64(grid)*int64(grid)
	return Fits(need, fmt.Sprintf("%d agents on %d cells", agents, grid*grid))
}
