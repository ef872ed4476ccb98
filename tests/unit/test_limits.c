/* What the system allows the process: processors, memory, and to end.  SPDX-License-Identifier: MIT
 */
#include "core/base/cgroup.h"
#include "core/base/exit_barrier.h"
#include "core/base/processors.h"
#include "core/base/thread.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Control groups, in made-up trees of /proc and /sys ---- */

static void write_file(const char *root, const char *path, const char *text)
{
    g_autofree char *name = g_build_filename(root, path, NULL);
    g_autofree char *folder = g_path_get_dirname(name);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(name, text, -1, NULL));
}

static void remove_tree(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *inner = g_build_filename(path, name, NULL);
        remove_tree(inner);
    }
    g_remove(path);
}

/* The files of a tree, and what is to be seen in it. */
typedef struct {
    const char *name;
    const char *files[26]; /* path, text, path, text, … */
    double processors;
    uint64_t memory;
} Tree;

#define CGROUP "/proc/self/cgroup"
#define MOUNTS "/proc/self/mountinfo"
#define V2 "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_CPU                                                                                     \
    "33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_MEMORY "34 32 0:30 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
#define NO_LIMIT "9223372036854771712\n"
#define MIB ((uint64_t)1 << 20)

static const Tree trees[] = {
    {.name = "nothing", .processors = INFINITY, .memory = UINT64_MAX},
    {.name = "unlimited",
     .files = {CGROUP, "0::/user.slice\n", MOUNTS, V2, "/sys/fs/cgroup/user.slice/cpu.max",
               "max 100000\n", "/sys/fs/cgroup/user.slice/memory.max", "max\n",
               "/sys/fs/cgroup/user.slice/memory.current", "1048576\n"},
     .processors = INFINITY,
     .memory = UINT64_MAX},
    {.name = "own group",
     .files = {CGROUP, "0::/a/b\n", MOUNTS, V2, "/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n",
               "/sys/fs/cgroup/a/b/memory.max", "10485760\n", "/sys/fs/cgroup/a/b/memory.current",
               "4194304\n", "/sys/fs/cgroup/a/b/memory.stat",
               "anon 1048576\nfile 3145728\ninactive_file 2097152\nactive_file 1048576\n"},
     .processors = 1.5,
     .memory = 9 * MIB},
    /* The least of the group and those above it, each with what it uses itself. */
    {.name = "ancestors",
     .files = {CGROUP, "0::/a/b\n", MOUNTS, V2, "/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n",
               "/sys/fs/cgroup/a/cpu.max", "100000 50000\n", "/sys/fs/cgroup/a/b/memory.max",
               "8388608\n", "/sys/fs/cgroup/a/b/memory.current", "1048576\n",
               "/sys/fs/cgroup/a/memory.max", "10485760\n", "/sys/fs/cgroup/a/memory.current",
               "6291456\n"},
     .processors = 2,
     .memory = 4 * MIB},
    /* The root of the tree that is mounted counts as well: it is what a container sees of its own
     * group. */
    {.name = "container",
     .files = {CGROUP, "0::/\n", MOUNTS, V2, "/sys/fs/cgroup/cpu.max", "50000 100000\n",
               "/sys/fs/cgroup/memory.max", "2097152\n", "/sys/fs/cgroup/memory.current",
               "3145728\n"},
     .processors = 0.5,
     .memory = 0},
    /* A container without a namespace of groups: the mount shows a part of the tree. */
    {.name = "part of the tree",
     .files = {CGROUP, "0::/docker/0a b/job\n", MOUNTS,
               "30 25 0:26 /docker/0a\\040b /sys/fs/my\\040groups ro - cgroup2 cgroup rw\n",
               "/sys/fs/my groups/job/cpu.max", "300000 100000\n", "/sys/fs/my groups/memory.max",
               "1048576\n"},
     .processors = 3,
     .memory = MIB},
    /* The group lies outside of what is mounted. */
    {.name = "elsewhere",
     .files = {CGROUP, "0::/../../other\n", MOUNTS, V2, "/sys/fs/cgroup/cpu.max", "200000 100000\n",
               "/sys/fs/other/cpu.max", "100000 100000\n"},
     .processors = 2,
     .memory = UINT64_MAX},
    {.name = "a name that begins alike",
     .files = {CGROUP, "0::/docker/abc\n", MOUNTS,
               "30 25 0:26 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
               "/sys/fs/cgroup/c/cpu.max", "100000 100000\n", "/sys/fs/cgroup/cpu.max",
               "200000 100000\n"},
     .processors = 2,
     .memory = UINT64_MAX},
    {.name = "version 1",
     .files = {CGROUP,
               "8:memory:/jobs/7\n3:cpu,cpuacct:/jobs\n2:cpuset:/\n0::/\n",
               MOUNTS,
               V1_CPU V1_MEMORY,
               "/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us",
               "250000\n",
               "/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us",
               "100000\n",
               "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us",
               "-1\n",
               "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us",
               "100000\n",
               "/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes",
               "4194304\n",
               "/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes",
               "3145728\n",
               "/sys/fs/cgroup/memory/jobs/7/memory.stat",
               "inactive_file 7\ntotal_inactive_file 1048576\ntotal_active_file 0\n",
               "/sys/fs/cgroup/memory/memory.limit_in_bytes",
               NO_LIMIT},
     .processors = 2.5,
     .memory = 2 * MIB},
    /* Both versions at once. */
    {.name = "hybrid",
     .files = {CGROUP, "1:cpu:/\n0::/x\n", MOUNTS,
               "31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
               "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "700000\n",
               "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n",
               "/sys/fs/cgroup/unified/x/cpu.max", "600000 100000\n"},
     .processors = 6,
     .memory = UINT64_MAX},
    {.name = "malformed groups",
     .files = {CGROUP, "nonsense\n0:\n\n::\n0::\n", MOUNTS,
               "short\n30 25 0:26 / /sys/fs/cgroup rw - cgroup2\n - \n30 - cgroup2 cgroup2 rw\n",
               "/sys/fs/cgroup/cpu.max", "100000 100000\n"},
     .processors = INFINITY,
     .memory = UINT64_MAX},
    {.name = "malformed limits",
     .files = {CGROUP,
               "0::/a/b/c/d\n",
               MOUNTS,
               V2,
               "/sys/fs/cgroup/cpu.max",
               "100000\n",
               "/sys/fs/cgroup/a/cpu.max",
               "-1 100000\n",
               "/sys/fs/cgroup/a/b/cpu.max",
               "100000 0\n",
               "/sys/fs/cgroup/a/b/c/cpu.max",
               "",
               "/sys/fs/cgroup/a/b/c/d/cpu.max",
               "12x 100000\n",
               "/sys/fs/cgroup/memory.max",
               "",
               "/sys/fs/cgroup/a/memory.max",
               "nan\n",
               "/sys/fs/cgroup/a/b/memory.max",
               "-5\n",
               "/sys/fs/cgroup/a/b/c/memory.max",
               "4194304\n",
               "/sys/fs/cgroup/a/b/c/memory.current",
               "lots\n"},
     .processors = INFINITY,
     .memory = 4 * MIB},
};

static void test_cgroup(gconstpointer data)
{
    const Tree *tree = data;
    g_autofree char *root = g_dir_make_tmp("limits-XXXXXX", NULL);
    for (size_t i = 0; tree->files[i]; i += 2) write_file(root, tree->files[i], tree->files[i + 1]);
    double processors = ns_cgroup_processors(root);
    uint64_t memory = ns_cgroup_memory(root);
    remove_tree(root);
    g_assert_cmpfloat(processors, ==, tree->processors);
    g_assert_cmpuint(memory, ==, tree->memory);
}

/* ---- Processors ---- */

static unsigned with(const char *name, const char *value)
{
    g_setenv(name, value, TRUE);
    unsigned n = ns_processors();
    g_unsetenv(name);
    return n;
}

static void test_environment(void)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"};
    static const char *const ignored[] = {
        "", "0", "-1", "many", "1x", "1.5", "99999999999999999999"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) g_unsetenv(names[i]);
    unsigned all = ns_processors();
    g_assert_cmpuint(all, >=, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_assert_cmpuint(with(names[i], "1"), ==, 1);
        g_assert_cmpuint(with(names[i], " 1 , 4"), ==, 1);
        g_assert_cmpuint(with(names[i], "1000000"), ==, all); /* it never adds one */
        for (size_t k = 0; k < G_N_ELEMENTS(ignored); k++)
            g_assert_cmpuint(with(names[i], ignored[k]), ==, all);
    }
}

static void test_affinity(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        g_test_skip("More processors than a set of fixed size holds.");
        return;
    }
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    g_assert_cmpint(sched_setaffinity(0, sizeof one, &one), ==, 0);
    unsigned n = ns_processors();
    g_assert_cmpint(sched_setaffinity(0, sizeof all, &all), ==, 0);
    g_assert_cmpuint(n, ==, 1);
}

/* ---- The end ---- */

static void *never_end(void *data)
{
    (void)data;
    for (;;) pause();
    return NULL;
}

/* What a process writes that ends with status 3 while a thread goes on, which passes the exit
 * barrier or not. */
static int end_beside(void *(*work)(void *), char *written, size_t size)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    fflush(NULL); /* or both processes write what is buffered */
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        pthread_t thread;
        dup2(ends[1], STDOUT_FILENO);
        ns_exit_barrier_enter();
        if (ns_thread_start(&thread, work, NULL) != 0) _exit(4);
        printf("buffered");
        exit(3);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], written, size - 1);
    written[MAX(n, 0)] = '\0';
    close(ends[0]);
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *leave(void *data)
{
    ns_exit_barrier_leave();
    return data;
}

static void test_exit_barrier(void)
{
    char written[32];
    g_assert_cmpint(end_beside(never_end, written, sizeof written), ==, 3);
    g_assert_cmpstr(written, ==, "buffered");
    g_assert_cmpint(end_beside(leave, written, sizeof written), ==, 3);
    g_assert_cmpstr(written, ==, "buffered");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(trees); i++) {
        g_autofree char *path = g_strdup_printf("/limits/cgroup/%s", trees[i].name);
        g_test_add_data_func(path, &trees[i], test_cgroup);
    }
    g_test_add_func("/limits/environment", test_environment);
    g_test_add_func("/limits/affinity", test_affinity);
    g_test_add_func("/limits/exit-barrier", test_exit_barrier);
    return g_test_run();
}
