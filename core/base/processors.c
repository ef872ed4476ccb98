/* SPDX-License-Identifier: MIT */
#include "core/base/processors.h"

#include "core/base/cgroup.h"

#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MOST_PROCESSORS (1 << 20)

/* Number of processors that the calling thread, and threads that it starts, may be scheduled on. */
static double in_affinity(void)
{
    /* The kernel rejects a set that is smaller than its own. */
    for (size_t capacity = CPU_SETSIZE; capacity <= MOST_PROCESSORS; capacity *= 2) {
        size_t size = CPU_ALLOC_SIZE(capacity);
        g_autofree cpu_set_t *set = g_malloc0(size);
        if (sched_getaffinity(0, size, set) == 0) return CPU_COUNT_S(size, set);
        if (errno != EINVAL) break;
    }
    return (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Reads an OpenMP variable: a positive number, or a list with one for each level of nesting, of
 * which the first is used.  Returns `otherwise` if it is unset or invalid. */
static double from_environment(const char *name, double otherwise)
{
    g_autofree char *text = g_strdup(g_getenv(name));
    if (!text) return otherwise;
    char *comma = strchr(text, ',');
    if (comma) *comma = '\0';
    guint64 value = 0;
    bool valid = g_ascii_string_to_unsigned(g_strstrip(text), 10, 1, G_MAXUINT, &value, NULL);
    return valid ? (double)value : otherwise;
}

unsigned ns_processors(void)
{
    double n = in_affinity();
    n = MIN(n, ns_cgroup_processors(""));
    n = MIN(n, from_environment("OMP_NUM_THREADS", n));
    n = MIN(n, from_environment("OMP_THREAD_LIMIT", n));
    return n < 1 ? 1 : (unsigned)n;
}
