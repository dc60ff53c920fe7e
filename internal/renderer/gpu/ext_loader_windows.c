// The Vulkan loader.
#include "ext.h"
#include <windows.h>
#include <stdio.h>

void *vkx_open_loader(const char *library, char *why, size_t size) {
    // The working directory is not searched: it may be that of a file somebody else made. Never
    // closed, as elsewhere.
    HMODULE lib = LoadLibraryExA(library, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (!lib) {
        snprintf(why, size, "%s: error %lu of LoadLibrary", library, GetLastError());
        return NULL;
    }
    void *gipa = (void *)GetProcAddress(lib, "vkGetInstanceProcAddr");
    if (!gipa)
        snprintf(why, size, "%s has no vkGetInstanceProcAddr", library);
    return gipa;
}
