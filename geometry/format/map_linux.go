package format

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of a file, read-only. Reading past the end
// of a file that has been cut short since is a fault: see geometry.Backing.
func mapFile(file *os.File, size int64) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmapFile(data []byte) { _ = syscall.Munmap(data) }
