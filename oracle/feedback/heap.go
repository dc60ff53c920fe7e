package feedback

/*
#include <stdint.h>
#ifdef __linux__
#include <malloc.h>
#endif

static int64_t heap_in_use(void) {
#if defined __GLIBC__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
	struct mallinfo2 m = mallinfo2();
	return (int64_t)(m.uordblks + m.hblkhd);
#endif
#endif
	return 0;
}
*/
import "C"

// HeapInUse returns how many bytes C code, including the driver, has allocated with malloc and not freed; 0 if the C
// library does not say. The process's memory is no substitute: what malloc keeps of freed blocks depends on threads.
func HeapInUse() int64 { return int64(C.heap_in_use()) }
