package format

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapFile maps the first `size` bytes of a file, read-only. If the file is cut short later, reading
// past its new end is a fault: see geometry.Backing. `own` is a second handle of the file, to be
// closed with the mapping.
func mapFile(file *os.File, size int64) (data []byte, own *os.File, err error) {
	data, err = syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		unmapFile(data)
		return nil, nil, err
	}
	return data, os.NewFile(uintptr(fd), file.Name()), nil
}

func unmapFile(data []byte) { _ = syscall.Munmap(data) }
