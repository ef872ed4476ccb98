/* SPDX-License-Identifier: MIT */
#include "core/base/memory.h"

#include "core/base/cgroup.h"

#include <fcntl.h>
#include <glib.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads a line such as “VmSize:     1234 kB” from a file, in bytes; 0 if there is none. */
static uint64_t read_line(const char *path, const char *key)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL)) return 0;
    const char *line = strstr(text, key);
    return line ? g_ascii_strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
}

double ns_memory_peak_mib(void)
{
    uint64_t bytes = read_line("/proc/self/status", "VmHWM:");
    return bytes ? (double)bytes / (1 << 20) : (double)NAN;
}

void ns_memory_reset_peak(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "5", 1);
    (void)written; /* on failure, the peak since program start remains */
    close(file);
}

static bool get_limit(__rlimit_resource_t resource, uint64_t *bytes)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
    *bytes = limit.rlim_cur;
    return true;
}

/* Arrays of at least this size, in bytes, are returned to the system when they are freed.  By
 * default malloc raises this threshold to the size of the largest freed array and then retains the
 * memory of freed checkpoints and histories. */
#define GIVEN_BACK (1 << 20)

void ns_memory_init(void)
{
    uint64_t limit;
    mallopt(M_MMAP_THRESHOLD, GIVEN_BACK);
    if (get_limit(RLIMIT_AS, &limit) || get_limit(RLIMIT_DATA, &limit)) mallopt(M_ARENA_MAX, 1);
}

/* Bytes that a limit of the process leaves, given the usage in the line `key` of
 * /proc/self/status. */
static uint64_t left_of(__rlimit_resource_t resource, const char *key)
{
    uint64_t limit, used = read_line("/proc/self/status", key);
    if (!get_limit(resource, &limit)) return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

static uint64_t free_of_machine(void)
{
    uint64_t bytes = read_line("/proc/meminfo", "MemAvailable:");
    if (bytes) return bytes;
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

size_t ns_memory_left(NsMemoryLimit limit)
{
    uint64_t bytes = UINT64_MAX;
    switch (limit) {
    case NS_MEMORY_MACHINE:
        bytes = free_of_machine();
        break;
    case NS_MEMORY_GROUP:
        bytes = ns_cgroup_memory("");
        break;
    case NS_MEMORY_ADDRESS:
        bytes = left_of(RLIMIT_AS, "VmSize:");
        break;
    case NS_MEMORY_DATA:
        bytes = left_of(RLIMIT_DATA, "VmData:");
        break;
    case NS_MEMORY_LIMITS:
        break;
    }
    return (size_t)MIN(bytes, SIZE_MAX);
}

size_t ns_memory_available(void)
{
    size_t least = SIZE_MAX;
    for (NsMemoryLimit limit = 0; limit < NS_MEMORY_LIMITS; limit++)
        least = MIN(least, ns_memory_left(limit));
    return least == SIZE_MAX ? 0 : MAX(least, 1);
}
