//go:build !windows

// The Vulkan loader, and the heap that its drivers use.
#include "ext.h"
#include <dlfcn.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// glibc gives threads heaps of their own, and Go calls from any: what a driver
// compiled on one and freed on another stays in pieces, some 100 MiB after a
// thousand pipelines of Mesa's CPU driver. With one heap, which is as fast, nothing
// stays; but only if there never were more, so this runs ahead of all threads.
//
// Machines with a GPU keep glibc's heaps: with a single heap, vulkan-go reported a failed
// calloc on an H200 after some minutes of tests. The likely cause, from the trace: the one heap
// grows by brk; where something is mapped in its way glibc falls back to mmap, but leaves
// ENOMEM in errno, which vulkan-go reads.
__attribute__((constructor)) static void one_heap(void) {
#ifdef M_ARENA_MAX
    int gpu = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/kfd", F_OK) == 0 || access("/dev/dri", F_OK) == 0;
    if (!gpu && !getenv("MALLOC_ARENA_MAX"))
        mallopt(M_ARENA_MAX, 1);
#endif
}

void *vkx_open_loader(const char *library, char *why, size_t size) {
    // Never closed: the loader does not survive being unloaded under drivers.
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        const char *e = dlerror();
        snprintf(why, size, "%s", e ? e : "dlopen failed");
        return NULL;
    }
    void *gipa = dlsym(lib, "vkGetInstanceProcAddr");
    if (!gipa)
        snprintf(why, size, "%s has no vkGetInstanceProcAddr", library);
    return gipa;
}
