/* SPDX-License-Identifier: MIT */
#include "core/store/outside_file.h"
#include "core/store/outside_files-private.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"

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

/* How often a folder is looked through for new files. */
#define SCAN_MICROSECONDS ((int64_t)500000)

/* So many zeros are not the end of a record of any format. */
#define RESERVED 12

struct NsOutsideFile {
    char *folder;       /* in which files are looked for; NULL for one file */
    GPtrArray *streams; /* NsOutsideStream, in the order of time */
    int64_t came; /* time of the last bytes, in microseconds; 0 after the pause that followed */
    int64_t scan; /* time at which the folder will be looked through */
    bool pipe, ended;
    size_t replaced;
    NsOutside *run;
    char *chunk;
    int save;        /* file descriptor of the copy of a pipe; -1: none */
    char *save_path; /* of the copy */
};

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    bool advises = strchr(why, ';'); /* what to do with such a file */
    return ns_refuse(error, NS_ERROR_FILE,
                     advises ? N_("The file “%s” cannot be read: %s.")
                             : N_("“%s” cannot be read: %s; choose another file."),
                     name, _(why));
}

static bool is_there(const NsOutsideStream *stream)
{
    return stream->fd >= 0 || stream->project;
}

/* ---- Opening ---- */

/* Returns false if the file exists and cannot be read. */
static bool open_stream(NsOutsideFile *f, NsOutsideStream *stream, GError **error)
{
    struct stat stat;
    stream->at = 0;
    stream->fd = ns_open_for_reading(stream->path);
    if (stream->fd < 0 && errno == EMEDIUMTYPE) {
        stream->project = ns_outside_project_open(stream->path, f->run);
        return stream->project ||
               refuse(stream->path, N_("it is a database that cannot be read as a trackio project"),
                      error);
    }
    if (stream->fd < 0) return errno == ENOENT || refuse(stream->path, g_strerror(errno), error);
    if (fstat(stream->fd, &stat) != 0) return refuse(stream->path, g_strerror(errno), error);
    if (S_ISDIR(stat.st_mode)) return refuse(stream->path, N_("it is a folder"), error);
    ssize_t n = pread(stream->fd, stream->head, NS_OUTSIDE_HEAD, 0);
    const char *refusal = ns_outside_refusal(stream->path, stream->head, (size_t)MAX(n, 0));
    if (refusal) return refuse(stream->path, refusal, error);
    f->pipe = !S_ISREG(stat.st_mode);
    return true;
}

/* Adds the file of a stream to the run and opens it. */
static bool add_stream(NsOutsideFile *f, NsOutsideStream *stream, GError **error)
{
    g_autofree char *name = g_path_get_basename(stream->path);
    ns_outside_add_file(f->run, f->streams->len > 1 ? name : NULL, stream->prefix, stream->lane,
                        ns_outside_is_table(name));
    return open_stream(f, stream, error);
}

NsOutsideFile *ns_outside_file_open(const char *path, size_t budget, GError **error)
{
    NsOutsideFile *f = g_new0(NsOutsideFile, 1);
    bool folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    f->run = ns_outside_new(budget);
    f->chunk = g_malloc(CHUNK);
    f->save = -1;
    f->pipe = g_str_equal(path, "-");
    f->folder = folder ? g_strdup(path) : NULL;
    size_t left_out = 0;
    f->streams = folder ? ns_outside_find(path, &left_out)
                        : g_ptr_array_new_with_free_func(ns_outside_stream_free);
    if (left_out)
        ns_outside_report(f->run,
                          _("Other logs in this folder are not shown (%zu); name one of "
                            "them to see it."),
                          left_out);
    f->scan = g_get_monotonic_time() + SCAN_MICROSECONDS;
    if (!folder) g_ptr_array_add(f->streams, ns_outside_stream_new(f->pipe ? NULL : path, NULL, 0));
    if (f->pipe) {
        ((NsOutsideStream *)f->streams->pdata[0])->fd = STDIN_FILENO;
        return f;
    }
    if (!folder) ns_outside_find_rotated(f->streams);
    g_autoptr(GDir) dir = folder ? g_dir_open(path, 0, NULL) : NULL;
    bool has_files = dir && g_dir_read_name(dir);
    g_autofree char *parent = g_path_get_dirname(path);
    /* A missing file is waited for, a missing folder is a wrong path. */
    const char *wrong = has_files && !f->streams->len
                            ? "it is a folder without an event file or a log"
                        : !g_file_test(parent, G_FILE_TEST_IS_DIR) ? N_("there is no such folder")
                                                                   : NULL;
    bool good = !wrong || refuse(path, wrong, error);
    for (guint i = 0; good && i < f->streams->len; i++)
        good = add_stream(f, f->streams->pdata[i], error);
    if (good) return f;
    ns_outside_file_free(f);
    return NULL;
}

void ns_outside_file_free(NsOutsideFile *f)
{
    if (!f) return;
    g_ptr_array_unref(f->streams);
    if (f->save >= 0) close(f->save);
    ns_outside_free(f->run);
    g_free(f->chunk);
    g_free(f->folder);
    g_free(f->save_path);
    g_free(f);
}

NsOutsideState ns_outside_file_state(const NsOutsideFile *f)
{
    NsOutsideState state = f->ended ? NS_OUTSIDE_CLOSED : NS_OUTSIDE_ABSENT;
    for (guint i = 0; i < f->streams->len && !f->ended; i++) {
        const NsOutsideStream *stream = f->streams->pdata[i];
        if (!is_there(stream)) continue;
        if (!stream->path || access(stream->path, F_OK) == 0) return NS_OUTSIDE_OPEN;
        state = NS_OUTSIDE_GONE;
    }
    return state;
}

size_t ns_outside_file_replaced(const NsOutsideFile *f)
{
    return f->replaced;
}

const char *ns_outside_file_path(const NsOutsideFile *f)
{
    return f->streams->len ? ((const NsOutsideStream *)f->streams->pdata[0])->path : NULL;
}

NsOutside *ns_outside_file_run(NsOutsideFile *f)
{
    return f->run;
}

/* ---- Regular files ---- */

/* Whether the path is still the file that was read, possibly longer. */
static bool is_same(const NsOutsideStream *stream)
{
    struct stat there, own;
    char head[NS_OUTSIDE_HEAD];
    if (stream->project) return ns_database_file_is_at(stream->project->file, stream->path);
    size_t n = (size_t)MIN(stream->at, (off_t)NS_OUTSIDE_HEAD);
    if (fstat(stream->fd, &own) != 0 || own.st_size < stream->at) return false;
    if (stat(stream->path, &there) == 0 &&
        (there.st_ino != own.st_ino || there.st_dev != own.st_dev))
        return false;
    return pread(stream->fd, head, n, 0) == (ssize_t)n && memcmp(head, stream->head, n) == 0;
}

/* `replaced`: another run takes the place of the one that was read. */
static void begin_again(NsOutsideFile *f, bool replaced)
{
    f->replaced += replaced && ns_outside_lanes(f->run);
    ns_outside_begin_again(f->run);
    for (guint i = 0; i < f->streams->len; i++) {
        ns_outside_stream_close(f->streams->pdata[i]);
        add_stream(f, f->streams->pdata[i], NULL);
    }
}

static bool has_path(const GPtrArray *streams, const char *path)
{
    for (guint i = 0; i < streams->len; i++)
        if (g_str_equal(((const NsOutsideStream *)streams->pdata[i])->path, path)) return true;
    return false;
}

/* Adds the files that are new in the folder.  If the run has another log, that is read instead. */
static void scan_folder(NsOutsideFile *f)
{
    int64_t now = g_get_monotonic_time();
    if (f->streams->len && now < f->scan) return;
    g_autoptr(GPtrArray) found = ns_outside_find(f->folder, NULL);
    const int64_t end = g_get_monotonic_time();
    f->scan = end + MAX(SCAN_MICROSECONDS, 9 * (end - now)); /* a tenth of the time at most */
    guint missing = 0, more = 0;
    for (guint i = 0; i < f->streams->len; i++)
        missing += !has_path(found, ((const NsOutsideStream *)f->streams->pdata[i])->path);
    for (guint i = 0; i < found->len; i++)
        more += !has_path(f->streams, ((const NsOutsideStream *)found->pdata[i])->path);
    if (!more) return;
    /* The only file had no name yet, so that the run is read again. */
    if (f->streams->len == 1 || missing) {
        g_ptr_array_unref(f->streams);
        f->streams = g_steal_pointer(&found);
        begin_again(f, missing > 0);
        return;
    }
    for (guint i = 0; i < found->len;) {
        if (has_path(f->streams, ((const NsOutsideStream *)found->pdata[i])->path)) {
            i++;
            continue;
        }
        g_ptr_array_add(f->streams, g_ptr_array_steal_index(found, i));
        add_stream(f, f->streams->pdata[f->streams->len - 1], NULL);
    }
}

/* The number of n bytes that were read, without zeros at the end of the file: space that its writer
 * has reserved and will fill, so that it has to be read again. */
static ssize_t without_reserved(const NsOutsideStream *stream, const char *chunk, ssize_t n)
{
    char zeros[RESERVED] = {0}, end[RESERVED];
    struct stat file;
    bool may_be = n >= RESERVED && memcmp(chunk + n - RESERVED, zeros, RESERVED) == 0;
    bool is = may_be && ((size_t)n < CHUNK ||
                         (fstat(stream->fd, &file) == 0 &&
                          pread(stream->fd, end, RESERVED, file.st_size - RESERVED) == RESERVED &&
                          memcmp(end, zeros, RESERVED) == 0));
    while (is && n && !chunk[n - 1]) n--;
    return n;
}

static bool read_regular(NsOutsideFile *f)
{
    for (guint i = 0; i < f->streams->len; i++) {
        NsOutsideStream *stream = f->streams->pdata[i];
        size_t rows =
            stream->project ? ns_outside_project_read(stream->project, f->chunk, CHUNK) : 0;
        if (rows) ns_outside_feed_file(f->run, i, f->chunk, rows);
        if (rows) return true;
        if (stream->fd < 0) continue;
        ssize_t n = pread(stream->fd, f->chunk, CHUNK, stream->at);
        n = without_reserved(stream, f->chunk, n);
        if (n <= 0) continue;
        f->came = g_get_monotonic_time();
        if (stream->at < (off_t)NS_OUTSIDE_HEAD) {
            size_t have = (size_t)stream->at;
            memcpy(stream->head + have, f->chunk, MIN((size_t)n, NS_OUTSIDE_HEAD - have));
        }
        stream->at += n;
        ns_outside_feed_file(f->run, i, f->chunk, (size_t)n);
        return true;
    }
    return false;
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
        ns_outside_report(f->run, _("It is not saved in “%s” any more: %s."), name,
                          g_strerror(errno));
        close(f->save);
        f->save = -1;
    }
}

bool ns_outside_file_map(NsOutsideFile *f, const char *map, GError **error)
{
    int fd = f->save >= 0 ? ns_open_for_reading(f->save_path) : -1;
    if (f->pipe && fd < 0)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("A pipe that is not saved cannot be read again; save it in a file."));
    ns_outside_map(f->run, map);
    if (!f->pipe) begin_again(f, true);
    for (ssize_t n; f->pipe && (n = read(fd, f->chunk, CHUNK)) > 0;)
        ns_outside_feed(f->run, f->chunk, (size_t)n);
    if (fd >= 0) close(fd);
    return true;
}

static bool read_pipe(NsOutsideFile *f, int milliseconds)
{
    int fd = ((const NsOutsideStream *)f->streams->pdata[0])->fd;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, milliseconds) <= 0) return false;
    ssize_t n = read(fd, f->chunk, CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n > 0) {
        bool first = ns_outside_lines(f->run) == 0;
        save(f, (size_t)n);
        ns_outside_feed(f->run, f->chunk, (size_t)n);
        /* Earlier bytes cannot be read again. */
        if (first && ns_outside_recall(f->run)) ns_outside_feed(f->run, f->chunk, (size_t)n);
        return true;
    }
    ns_outside_end(f->run);
    f->ended = true;
    return false;
}

bool ns_outside_file_read(NsOutsideFile *f, int milliseconds)
{
    if (f->pipe) return read_pipe(f, milliseconds);
    int64_t until = g_get_monotonic_time() + 1000 * (int64_t)milliseconds;
    for (;;) {
        bool right = true;
        if (f->folder) scan_folder(f);
        /* Opens files that were not there, and closes those that were replaced: what was read of
         * these is no longer right. */
        for (guint i = 0; i < f->streams->len; i++) {
            NsOutsideStream *stream = f->streams->pdata[i];
            bool was_there = is_there(stream);
            if (was_there && is_same(stream)) continue;
            ns_outside_stream_close(stream);
            if (!open_stream(f, stream, NULL)) ns_outside_stream_close(stream);
            right &= !was_there;
        }
        if (!right) begin_again(f, !ns_outside_find_rotated(f->streams));
        bool read = read_regular(f);
        if (read && ns_outside_recall(f->run)) begin_again(f, true);
        int64_t left = until - g_get_monotonic_time();
        if (read || left <= 0) return read;
        g_usleep((gulong)MIN(left, 1000 * LOOK_MILLISECONDS));
    }
}
