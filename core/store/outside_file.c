/* SPDX-License-Identifier: MIT */
#include "core/store/outside_file.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/run_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 20)

/* Polling interval of a regular file, and the time without new bytes after which its writer is
 * taken to pause. */
#define LOOK_MILLISECONDS 50
#define PAUSE_MICROSECONDS ((int64_t)500000)

/* The first bytes of a file distinguish one that was overwritten from one that grew. */
#define HEAD ((size_t)256)

struct NsOutsideFile {
    char *folder; /* a folder of event files, of which `path` is the newest; NULL for one file */
    char *path;   /* NULL: standard input, or the folder has no event file */
    int64_t came; /* time of the last bytes, in microseconds; 0 after the pause that followed */
    int fd;       /* -1: it does not exist */
    bool regular; /* it may be replaced, truncated or appended to */
    off_t at;     /* offset in a regular file */
    char head[HEAD];
    NsOutside *run;
    char *chunk;
    int save;        /* file descriptor of the copy of a pipe; -1: none */
    char *save_path; /* of the copy */
    char *unsaved;   /* why the copy ended, until this is reported */
};

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE, "“%s” cannot be read: %s; choose another file.", name,
                     why);
}

/* Returns false if this is not a regular file. */
static bool is_file(const char *path, struct stat *file)
{
    return stat(path, file) == 0 && S_ISREG(file->st_mode);
}

/* The most recently written event file of a folder; if several have the same time, the last by
 * name.  NULL if there is none.  Free with g_free. */
static char *newest_events(const char *folder)
{
    char *newest = NULL;
    struct stat found = {0};
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        struct stat file;
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (!strstr(name, "tfevents") || !is_file(path, &file)) continue;
        int64_t later = (int64_t)file.st_mtim.tv_sec - (int64_t)found.st_mtim.tv_sec;
        if (later == 0) later = file.st_mtim.tv_nsec - found.st_mtim.tv_nsec;
        if (newest && (later < 0 || (later == 0 && strcmp(path, newest) < 0))) continue;
        g_free(newest);
        newest = g_steal_pointer(&path);
        found = file;
    }
    return newest;
}

static bool is_empty(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    return dir && !g_dir_read_name(dir);
}

/* Returns false if the file exists and cannot be read. */
static bool open_path(NsOutsideFile *f, GError **error)
{
    struct stat stat;
    f->at = 0;
    f->fd = f->path ? ns_open_for_reading(f->path) : -1;
    if (!f->path) return true;
    if (f->fd < 0 && errno == EMEDIUMTYPE) return refuse(f->path, "it is a database", error);
    if (f->fd < 0) return errno == ENOENT || refuse(f->path, g_strerror(errno), error);
    if (fstat(f->fd, &stat) != 0) return refuse(f->path, g_strerror(errno), error);
    if (S_ISDIR(stat.st_mode)) return refuse(f->path, N_("it is a folder"), error);
    f->regular = S_ISREG(stat.st_mode);
    return true;
}

NsOutsideFile *ns_outside_file_open(const char *path, size_t budget, GError **error)
{
    NsOutsideFile *f = g_new0(NsOutsideFile, 1);
    f->run = ns_outside_new(budget);
    f->chunk = g_malloc(CHUNK);
    f->fd = f->save = -1;
    if (g_str_equal(path, "-")) {
        f->fd = STDIN_FILENO;
        return f;
    }
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        f->folder = g_strdup(path);
        f->path = newest_events(path);
    } else {
        f->path = g_strdup(path);
    }
    const char *wrong = f->folder && !f->path && !is_empty(path)
                            ? "it is a folder without an event file"
                        : ns_run_file_is(path) ? "it is a run file, which is opened, not watched"
                                               : NULL;
    /* A missing file is waited for, a missing folder is a wrong path. */
    g_autofree char *folder = g_path_get_dirname(path);
    if (!wrong && !g_file_test(folder, G_FILE_TEST_IS_DIR)) wrong = N_("there is no such folder");
    if (wrong ? refuse(path, wrong, error) : open_path(f, error)) return f;
    ns_outside_file_free(f);
    return NULL;
}

void ns_outside_file_free(NsOutsideFile *f)
{
    if (!f) return;
    if ((f->path || f->folder) && f->fd >= 0) close(f->fd);
    if (f->save >= 0) close(f->save);
    ns_outside_free(f->run);
    g_free(f->chunk);
    g_free(f->path);
    g_free(f->folder);
    g_free(f->save_path);
    g_free(f->unsaved);
    g_free(f);
}

bool ns_outside_file_is(const char *path)
{
    g_autofree char *head = g_malloc(CHUNK);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) return false;
    int fd = ns_open_for_reading(path);
    ssize_t n = fd < 0 ? -1 : read(fd, head, CHUNK);
    if (fd >= 0) close(fd);
    return n > 0 && ns_outside_are(head, (size_t)n);
}

bool ns_outside_file_is_there(const NsOutsideFile *f)
{
    return f->fd >= 0;
}

char *ns_outside_file_take_message(NsOutsideFile *f)
{
    return f->unsaved ? g_steal_pointer(&f->unsaved) : ns_outside_take_message(f->run);
}

NsOutside *ns_outside_file_run(NsOutsideFile *f)
{
    return f->run;
}

/* ---- A regular file ---- */

/* Whether the path is still the file that was read, possibly longer. */
static bool is_same(const NsOutsideFile *f)
{
    struct stat there, own;
    char head[HEAD];
    size_t n = (size_t)MIN(f->at, (off_t)HEAD);
    if (fstat(f->fd, &own) != 0 || own.st_size < f->at) return false;
    if (stat(f->path, &there) == 0 && (there.st_ino != own.st_ino || there.st_dev != own.st_dev))
        return false;
    return pread(f->fd, head, n, 0) == (ssize_t)n && memcmp(head, f->head, n) == 0;
}

static void follow_path(NsOutsideFile *f)
{
    char *newest = f->folder ? newest_events(f->folder) : NULL;
    if (newest) {
        g_free(f->path);
        f->path = newest;
    }
    if (f->fd >= 0 && (!f->regular || is_same(f))) return;
    bool was_there = f->fd >= 0;
    if (was_there) close(f->fd);
    if (!open_path(f, NULL) && f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
    if (was_there) ns_outside_begin_again(f->run);
}

static NsOutsideNews read_regular(NsOutsideFile *f)
{
    ssize_t n = f->fd < 0 ? 0 : read(f->fd, f->chunk, CHUNK);
    if (n <= 0) return NS_OUTSIDE_NONE;
    f->came = g_get_monotonic_time();
    if (f->at < (off_t)HEAD) {
        size_t have = (size_t)f->at;
        memcpy(f->head + have, f->chunk, MIN((size_t)n, HEAD - have));
    }
    f->at += n;
    ns_outside_feed(f->run, f->chunk, (size_t)n);
    return NS_OUTSIDE_MORE;
}

bool ns_outside_file_pause(NsOutsideFile *f)
{
    if (f->came == 0 || g_get_monotonic_time() - f->came < PAUSE_MICROSECONDS) return false;
    f->came = 0;
    return ns_outside_pause(f->run);
}

/* ---- A pipe ---- */

bool ns_outside_file_save(NsOutsideFile *f, const char *path, GError **error)
{
    f->save = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    f->save_path = g_strdup(path);
    if (f->save >= 0) return true;
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE, "What is read cannot be saved in “%s”: %s.", name,
                     g_strerror(errno));
}

/* If writing fails, the copy so far remains, and the pipe is still read so that its program is not
 * blocked. */
static void save(NsOutsideFile *f, size_t n)
{
    for (size_t at = 0; f->save >= 0 && at < n;) {
        ssize_t written = write(f->save, f->chunk + at, n - at);
        if (written > 0) at += (size_t)written;
        if (written > 0 || errno == EINTR) continue;
        g_autofree char *name = g_filename_display_name(f->save_path);
        f->unsaved =
            g_strdup_printf("It is not saved in “%s” any more: %s.", name, g_strerror(errno));
        close(f->save);
        f->save = -1;
    }
}

static NsOutsideNews read_pipe(NsOutsideFile *f, int milliseconds)
{
    struct pollfd ready = {.fd = f->fd, .events = POLLIN};
    if (poll(&ready, 1, milliseconds) <= 0) return NS_OUTSIDE_NONE;
    ssize_t n = read(f->fd, f->chunk, CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return NS_OUTSIDE_NONE;
    if (n > 0) {
        save(f, (size_t)n);
        ns_outside_feed(f->run, f->chunk, (size_t)n);
        return NS_OUTSIDE_MORE;
    }
    ns_outside_end(f->run);
    return NS_OUTSIDE_ENDED;
}

NsOutsideNews ns_outside_file_read(NsOutsideFile *f, int milliseconds)
{
    if ((!f->path && !f->folder) || (f->fd >= 0 && !f->regular)) return read_pipe(f, milliseconds);
    int64_t until = g_get_monotonic_time() + 1000 * (int64_t)milliseconds;
    for (;;) {
        follow_path(f);
        NsOutsideNews news = read_regular(f);
        int64_t left = until - g_get_monotonic_time();
        if (news != NS_OUTSIDE_NONE || left <= 0) return news;
        g_usleep((gulong)MIN(left, 1000 * LOOK_MILLISECONDS));
    }
}
