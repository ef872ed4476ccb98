/* SPDX-License-Identifier: MIT */
#include "core/base/memory.h"

#include <fcntl.h>
#include <glib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

double ns_memory_peak_mib(void)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL)) return (double)NAN;
    const char *line = strstr(text, "VmHWM:");
    if (!line) return (double)NAN;
    return (double)g_ascii_strtoull(line + strlen("VmHWM:"), NULL, 10) / 1024;
}

void ns_memory_reset_peak(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "5", 1);
    (void)written; /* then the peak stays that since the beginning */
    close(file);
}

size_t ns_memory_available(void)
{
    g_autofree char *text = NULL;
    if (g_file_get_contents("/proc/meminfo", &text, NULL, NULL)) {
        const char *line = strstr(text, "MemAvailable:");
        if (line) return (size_t)g_ascii_strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024;
    }
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}
