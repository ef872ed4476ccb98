/* SPDX-License-Identifier: MIT */
#include "core/base/cgroup.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A mounted cgroup hierarchy, from /proc/self/mountinfo, for one controller. */
typedef struct {
    bool unified; /* version 2 */
    char *point;  /* the folder where it is mounted */
    char *top;    /* the group at this folder; not "/" in some containers */
} Mount;

static void mount_clear(Mount *mount)
{
    g_free(mount->point);
    g_free(mount->top);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mount, mount_clear)

static char *read_text(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

static bool list_has(const char *list, const char *word)
{
    g_auto(GStrv) words = g_strsplit(list, ",", -1);
    return g_strv_contains((const char *const *)words, word);
}

/* The fields of a line are: id, parent, device, root, mount point, options, optional fields, "-",
 * type, source, options of the file system; a space within a field is written as \040. */
static bool read_mount(const char *line, const char *controller, bool unified, Mount *mount)
{
    const char *rest = strstr(line, " - ");
    if (!rest) return false;
    g_auto(GStrv) before = g_strsplit(line, " ", 6), after = g_strsplit(rest + 3, " ", 3);
    if (g_strv_length(before) < 6 || g_strv_length(after) < 3) return false;
    if (!g_str_equal(after[0], unified ? "cgroup2" : "cgroup")) return false;
    if (!unified && !list_has(after[2], controller)) return false;
    *mount = (Mount){unified, g_strcompress(before[4]), g_strcompress(before[3])};
    return true;
}

static bool find_mount(const char *root, const char *controller, bool unified, Mount *mount)
{
    g_autofree char *text = read_text(root, "/proc/self/mountinfo");
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++)
        if (read_mount(*line, controller, unified, mount)) return true;
    return false;
}

/* The smallest value of `limit` for a group and all groups above it. */
static double least(const char *root, const Mount *mount, const char *group,
                    double (*limit)(const char *folder, bool unified))
{
    /* The path of the process's group relative to the mounted group: "" if it is that group, or if
     * it is not visible under this mount. */
    size_t n = g_str_equal(mount->top, "/") ? 0 : strlen(mount->top);
    bool seen = strncmp(group, mount->top, n) == 0 && (group[n] == '/' || !group[n]);
    g_autofree char *path = g_strdup(seen && !strstr(group, "/..") ? group + n : "");
    double value = (double)INFINITY;
    for (;;) {
        g_autofree char *folder = g_build_filename(root, mount->point, path, NULL);
        value = MIN(value, limit(folder, mount->unified));
        char *last = strrchr(path, '/');
        if (!last) return value;
        *last = '\0';
    }
}

/* The smallest limit over all hierarchies that apply `controller` to the process.  A line of
 * /proc/self/cgroup is: number, list of controllers (empty in version 2), path of the group. */
static double least_of_all(const char *root, const char *controller,
                           double (*limit)(const char *folder, bool unified))
{
    g_autofree char *text = read_text(root, "/proc/self/cgroup");
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    double value = (double)INFINITY;
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, ":", 3);
        if (g_strv_length(fields) < 3) continue;
        bool unified = !*fields[1];
        g_auto(Mount) mount = {0};
        if ((unified || list_has(fields[1], controller)) &&
            find_mount(root, controller, unified, &mount))
            value = MIN(value, least(root, &mount, fields[2], limit));
    }
    return value;
}

/* Parses a whole number at the start of a text, followed by white space or the end; negative if
 * there is none. */
static double number(const char *text)
{
    char *end = NULL;
    double value = text && g_ascii_isdigit(*text) ? g_ascii_strtod(text, &end) : -1;
    return value >= 0 && (!*end || g_ascii_isspace(*end)) ? value : -1;
}

static double read_number(const char *folder, const char *name)
{
    g_autofree char *text = read_text(folder, name);
    return number(text);
}

/* ---- Processors ---- */

static double processors_of(const char *folder, bool unified)
{
    double quota = -1, period = -1; /* microseconds */
    if (unified) {
        g_autofree char *text = read_text(folder, "cpu.max"); /* "150000 100000", "max 100000" */
        const char *second = text ? strchr(text, ' ') : NULL;
        quota = number(text);
        period = second ? number(second + 1) : -1;
    } else {
        quota = read_number(folder, "cpu.cfs_quota_us"); /* -1 without a limit */
        period = read_number(folder, "cpu.cfs_period_us");
    }
    return quota > 0 && period > 0 ? quota / period : (double)INFINITY;
}

double ns_cgroup_processors(const char *root)
{
    return least_of_all(root, "cpu", processors_of);
}

/* ---- Memory ---- */

/* The sum of the lines of memory.stat that count file pages, which the kernel drops if the group
 * needs memory. */
static double reclaimable(const char *folder, bool unified)
{
    static const char *const keys[2][2] = {{"total_inactive_file", "total_active_file"},
                                           {"inactive_file", "active_file"}};
    g_autofree char *text = read_text(folder, "memory.stat");
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    double bytes = 0;
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", 2);
        if (g_strv_length(words) < 2) continue;
        bool counts =
            g_str_equal(words[0], keys[unified][0]) || g_str_equal(words[0], keys[unified][1]);
        if (counts) bytes += MAX(number(words[1]), 0);
    }
    return bytes;
}

static double memory_of(const char *folder, bool unified)
{
    double limit = read_number(folder, unified ? "memory.max" : "memory.limit_in_bytes");
    double used = read_number(folder, unified ? "memory.current" : "memory.usage_in_bytes");
    if (limit < 0 || limit > 0x1p60) return (double)INFINITY; /* "max" or too large */
    if (used < 0) return limit;
    return MAX(limit - MAX(used - reclaimable(folder, unified), 0), 0);
}

uint64_t ns_cgroup_memory(const char *root)
{
    /* A double represents the memory of any machine exactly. */
    double bytes = least_of_all(root, "memory", memory_of);
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX;
}
