/* SPDX-License-Identifier: MIT */
#include "core/store/outside_file.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/settings/settings.h"
#include "core/store/database.h"
#include "core/store/figure_file.h"
#include "core/store/outside_name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 20)

/* Bytes within which a figure begins with its experiment. */
#define COMMENT ((size_t)4096)

/* Polling interval of a regular file, and the time without new bytes after which its writer is
 * taken to pause. */
#define LOOK_MILLISECONDS 50
#define PAUSE_MICROSECONDS ((int64_t)500000)

/* How often a folder is looked through for new files. */
#define SCAN_MICROSECONDS ((int64_t)500000)

/* Maximum depth at which a log is looked for in a folder, and how many folders are looked into. */
#define DEEPEST 2
#define MOST_FOLDERS 200

/* How long another program may hold a lock while the file is opened. */
#define BUSY_MS 500

/* The first bytes of a file distinguish one that was overwritten from one that grew. */
#define HEAD ((size_t)256)

/* So many zeros are not the end of a record of any format. */
#define RESERVED 12

/* ---- A project of trackio ---- */

/* trackio keeps a project in one SQLite file, by default ~/.cache/huggingface/trackio/PROJECT.db,
 * with a row for every call of its log(): metrics(id, timestamp, run_name, step, metrics), the last
 * one an object of JSON.  The file is read through SQLite, as JSON lines, while a training program
 * writes it. */
typedef struct {
    NsDatabaseFile *file;
    sqlite3 *db;
    int64_t last;   /* id of the last row that was read */
    GString *lines; /* that were read and not returned yet */
    NsOutside *run; /* NULL: none */
} Project;

static void project_free(Project *project)
{
    if (!project) return;
    ns_database_close(project->db, project->file);
    g_string_free(project->lines, TRUE);
    g_free(project);
}

/* Gives the newest runs their lanes, in the order in which they began.  Returns false if it is no
 * project. */
static bool choose_runs(Project *project)
{
    /* A view could compute anything. */
    static const char tables[] =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'metrics'";
    static const char newest[] =
        "SELECT run_name FROM (SELECT run_name, min(id) AS begun FROM metrics WHERE run_name NOT "
        "NULL GROUP BY run_name ORDER BY begun DESC LIMIT ?) ORDER BY begun";
    int64_t found = 0;
    sqlite3_busy_timeout(project->db, BUSY_MS);
    if (!ns_database_find_number(project->db, tables, &found) || !found) return false;
    NS_AUTO_STATEMENT row = ns_database_prepare(project->db, newest);
    int code = row ? sqlite3_bind_int(row, 1, NS_LANES_MAX) : SQLITE_ERROR;
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (project->run) ns_outside_name_run(project->run, ns_database_text(row, 0));
    return code == SQLITE_DONE;
}

/* Returns NULL if the file is no such database or cannot be read. */
static Project *project_open(const char *path, NsOutside *run)
{
    Project *project = g_new0(Project, 1);
    project->run = run;
    project->lines = g_string_new(NULL);
    bool good =
        ns_database_open(path, SQLITE_OPEN_READONLY, &project->db, &project->file) == SQLITE_OK &&
        choose_runs(project);
    if (!good) g_clear_pointer(&project, project_free);
    return project;
}

/* Appends a row as a line, unless its run is left out. */
static void add_row(Project *project, sqlite3_stmt *row)
{
    const char *run = ns_database_text(row, 1), *metrics = ns_database_text(row, 3);
    const char *brace = run && metrics ? strchr(metrics, '{') : NULL;
    project->last = sqlite3_column_int64(row, 0);
    size_t lane = brace ? ns_outside_name_run(project->run, run) : G_MAXSIZE;
    if (lane > NS_LANES_MAX) return;
    g_string_append_printf(project->lines, "{\"lane\": %zu, \"step\": %lld, ", lane,
                           (long long)sqlite3_column_int64(row, 2));
    gsize at = project->lines->len;
    g_string_append(project->lines, brace + 1);
    g_strdelimit(project->lines->str + at, "\r\n", ' ');
    g_string_append_c(project->lines, '\n');
}

/* Writes at most n bytes of the lines that follow those already returned, and returns how many; 0
 * if there are none yet. */
static size_t project_read(Project *project, char *bytes, size_t n)
{
    if (project->lines->len < n) {
        NS_AUTO_STATEMENT row = ns_database_prepare(
            project->db, "SELECT id, run_name, step, metrics FROM metrics WHERE id > ? "
                         "AND metrics <> '{}' ORDER BY id");
        if (row) sqlite3_bind_int64(row, 1, project->last);
        while (row && project->lines->len < n && sqlite3_step(row) == SQLITE_ROW)
            add_row(project, row);
    }
    n = MIN(n, project->lines->len);
    memcpy(bytes, project->lines->str, n);
    g_string_erase(project->lines, 0, (gssize)n);
    return n;
}

/* ---- Files ---- */

/* A regular file, or the only one. */
typedef struct {
    char *path;
    char *prefix;     /* the folder of its tags, or NULL */
    size_t lane;      /* see ns_outside_add_file */
    char split;       /* see split_of */
    int fd;           /* -1: it does not exist, or is a project */
    Project *project; /* NULL: it is none */
    off_t at;         /* offset in a regular file */
    char head[HEAD];
} Stream;

struct NsOutsideFile {
    char *folder;       /* in which files are looked for; NULL for one file */
    GPtrArray *streams; /* Stream, in the order of time */
    int64_t came;    /* time of the last bytes, in microseconds; 0 after the pause that followed */
    int64_t scanned; /* time at which the folder was looked through */
    bool pipe, ended;
    NsOutside *run;
    char *chunk;
    int save;        /* file descriptor of the copy of a pipe; -1: none */
    char *save_path; /* of the copy */
};

static bool refuse(const char *path, const char *why, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE, "“%s” cannot be read: %s; choose another file.", name,
                     _(why));
}

static Stream *stream_new(const char *path, const char *prefix, size_t lane)
{
    Stream *stream = g_new0(Stream, 1);
    stream->path = g_strdup(path);
    stream->prefix = g_strdup(prefix);
    stream->lane = lane;
    stream->fd = -1;
    return stream;
}

static void stream_close(Stream *stream)
{
    if (stream->fd >= 0) close(stream->fd);
    stream->fd = -1;
    g_clear_pointer(&stream->project, project_free);
}

static bool is_there(const Stream *stream)
{
    return stream->fd >= 0 || stream->project;
}

static void stream_free(gpointer data)
{
    Stream *stream = data;
    if (stream->path) stream_close(stream);
    g_free(stream->path);
    g_free(stream->prefix);
    g_free(stream);
}

/* ---- Folders ---- */

/* Natural order, so that “version_10” comes after “version_9”. */
static int compare_paths(const void *a, const void *b)
{
    g_autofree char *left = g_utf8_collate_key_for_filename(*(const char *const *)a, -1);
    g_autofree char *right = g_utf8_collate_key_for_filename(*(const char *const *)b, -1);
    return strcmp(left, right);
}

/* The sorted paths of the regular files, or of the folders, in a folder. */
static GPtrArray *list(const char *folder, GFileTest kind)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (*name != '.' && g_file_test(path, kind)) g_ptr_array_add(paths, g_steal_pointer(&path));
    }
    g_ptr_array_sort(paths, compare_paths);
    return paths;
}

static size_t add_events(const char *folder, const char *prefix, size_t lane, GPtrArray *streams)
{
    size_t n = 0;
    g_autoptr(GPtrArray) files = list(folder, G_FILE_TEST_IS_REGULAR);
    for (guint i = 0; i < files->len; i++) {
        g_autofree char *name = g_path_get_basename(files->pdata[i]);
        if (!strstr(name, "tfevents")) continue;
        g_ptr_array_add(streams, stream_new(files->pdata[i], prefix, lane));
        n++;
    }
    return n;
}

/* The event files of a folder and of those in it.  A folder in it is a curve, such as “validation”
 * or “loss_train”, or else a run of its own; *left_out counts those beyond the last lane. */
static GPtrArray *events_in(const char *folder, size_t *left_out)
{
    GPtrArray *streams = g_ptr_array_new_with_free_func(stream_free);
    g_autoptr(GPtrArray) inner = list(folder, G_FILE_TEST_IS_DIR);
    bool own = add_events(folder, NULL, 0, streams) > 0;
    size_t lane = 1;
    for (guint i = 0; i < inner->len; i++) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        guint before = streams->len;
        if (own || ns_outside_is_curve(name)) {
            add_events(inner->pdata[i], name, 0, streams);
        } else if (add_events(inner->pdata[i], NULL, lane, streams) && ++lane > NS_LANES_MAX + 1) {
            g_ptr_array_set_size(streams, (gint)before);
            if (left_out) ++*left_out;
        }
    }
    return streams;
}

/* The logs that programs put into the folder of a run, the best first. */
static const char log_names[] =
    "metrics.csv trainer_log.jsonl metrics.jsonl trainer_state.json log_history.json history.json "
    "log.jsonl train.jsonl training.csv log.csv history.csv metrics.json scalars.json progress.csv "
    "result.json results.csv summary.csv loss.tsv output.log logging.jsonl stdout.log";

/* The split that a file or folder is named after, such as “val_log.csv”: 'v' of validation, 't' of
 * training; 0: none. */
static char split_of(const char *name)
{
    g_autofree char *stem = g_strndup(name, strcspn(name, "."));
    return !ns_outside_is_curve(stem) ? 0 : ns_outside_has_split(stem, true) ? 'v' : 't';
}

/* Adds a log if it is the first one, or that of validation beside that of training or the other way
 * round. */
static bool add_split(GPtrArray *streams, const char *path, const char *name)
{
    Stream *first = streams->len ? streams->pdata[0] : NULL, *stream;
    char split = split_of(name);
    if (first && (streams->len > 1 || !split || !first->split || first->split == split))
        return false;
    stream = stream_new(path, NULL, 0);
    stream->split = split;
    g_ptr_array_insert(streams, split == 'v' ? -1 : 0, stream);
    if (first) (split == 'v' ? stream : first)->prefix = g_strdup("validation");
    return true;
}

/* Adds a log.  Any other one is found only directly in the folder, by the first `kinds` of
 * suffixes, with that of validation beside it; *left_out counts more of them. */
static void add_log(const char *folder, size_t kinds, size_t *left_out, GPtrArray *streams)
{
    g_auto(GStrv) names = g_strsplit(log_names, " ", -1);
    for (char **name = names; *name && !streams->len; name++) {
        g_autofree char *path = g_build_filename(folder, *name, NULL);
        if (ns_outside_file_is(path)) add_split(streams, path, *name);
    }
    const bool known = streams->len;
    if (known && !g_str_has_suffix(((Stream *)streams->pdata[0])->path, "/train.jsonl")) return;
    if (known) kinds = 1;
    g_autoptr(GPtrArray) files = list(folder, G_FILE_TEST_IS_REGULAR);
    for (guint i = 0; i < kinds * files->len; i++) {
        static const char *const suffixes[][3] = {
            {".jsonl", ".csv"}, {".ndjson", ".tsv", ".log"}, {".json", ".txt", ".out"}};
        const char *path = files->pdata[i % files->len], *const *suffix = suffixes[i / files->len];
        g_autofree char *name = g_path_get_basename(path);
        bool log = false;
        for (size_t k = 0; k < 3; k++) log |= suffix[k] && g_str_has_suffix(path, suffix[k]);
        const char split = split_of(name);
        bool open = !streams->len || (known ? split == 'v' : left_out || split);
        if (!log || !open || !ns_outside_file_is(path)) continue;
        if (!add_split(streams, path, name) && left_out) ++*left_out;
    }
}

/* Files of one curve each: “Train_Samples_train_loss.csv” of DeepSpeed, and what TensorBoard saves,
 * “run-validation-tag-loss.csv”, whose column is called “Value”, or the same as JSON; and files of
 * one epoch each, “metrics_epoch_0.json” of AllenNLP. */
static void add_curves(const char *folder, GPtrArray *streams)
{
    g_autoptr(GPtrArray) files = list(folder, G_FILE_TEST_IS_REGULAR);
    for (guint i = 0; i < files->len; i++) {
        g_autofree char *name = g_path_get_basename(files->pdata[i]), *prefix = NULL;
        char *tag = strstr(name, "-tag-");
        char *end = strrchr(name, '.');
        bool table = g_strcmp0(end, ".csv") == 0, json = g_strcmp0(end, ".json") == 0;
        if (g_str_has_prefix(name, "run-") && tag && (table || json)) {
            *end = '\0';
            *tag = '\0';
            const char *run = name + strlen("run-");
            tag += strlen("-tag-");
            prefix = ns_outside_is_curve(run) ? g_strdup_printf("%s/%s", run, tag) : g_strdup(tag);
        } else if (!(table && g_str_has_prefix(name, "Train_Samples_")) &&
                   !(json && g_str_has_prefix(name, "metrics_epoch_"))) {
            continue;
        }
        g_ptr_array_add(streams, stream_new(files->pdata[i], prefix, 0));
    }
}

/* The metrics of a run of MLflow, a file for each: “metrics/loss”, “metrics/train/loss”; or those
 * of DVCLive, “plots/metrics/train/loss.tsv”. */
static void add_metrics(const char *folder, const char *within, GPtrArray *streams)
{
    g_autoptr(GPtrArray) files = list(folder, G_FILE_TEST_IS_REGULAR);
    g_autoptr(GPtrArray) inner = list(folder, G_FILE_TEST_IS_DIR);
    for (guint i = 0; i < files->len; i++) {
        g_autofree char *name = g_path_get_basename(files->pdata[i]);
        if (g_str_has_suffix(name, ".tsv")) name[strlen(name) - strlen(".tsv")] = '\0';
        g_autofree char *path = within ? g_strdup_printf("%s/%s", within, name) : NULL;
        g_ptr_array_add(streams, stream_new(files->pdata[i], path ? path : name, 0));
    }
    for (guint i = 0; !within && i < inner->len; i++) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        add_metrics(inner->pdata[i], name, streams);
    }
}

/* The streams of the run in a folder: its event files, or a log, or those of the last folder in it
 * that has one.  *left_out counts the other logs in it; NULL: they are not looked for. */
static GPtrArray *streams_within(const char *folder, int depth, size_t *folders, size_t *left_out)
{
    GPtrArray *streams = events_in(folder, left_out);
    if (!streams->len) add_curves(folder, streams);
    g_autofree char *meta = g_build_filename(folder, "meta.yaml", NULL);
    g_autofree char *metrics = g_build_filename(folder, "metrics", NULL);
    g_autofree char *plots = g_build_filename(folder, "plots", "metrics", NULL);
    if (!streams->len)
        add_metrics(g_file_test(meta, G_FILE_TEST_IS_REGULAR) ? metrics : plots, NULL, streams);
    if (streams->len) return streams;
    add_log(folder, depth == 0 ? 2 : 0, left_out, streams);
    if (streams->len) return streams;
    g_autoptr(GPtrArray) inner = list(folder, G_FILE_TEST_IS_DIR);
    guint i = depth < DEEPEST ? inner->len : 0;
    while (*folders && i-- > 0) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        if (streams->len && !left_out && !split_of(name)) continue;
        /* A link may lead anywhere, also around in a circle; and a checkpoint has the beginning of
         * the log of its run. */
        if (g_file_test(inner->pdata[i], G_FILE_TEST_IS_SYMLINK) ||
            (streams->len && g_str_has_prefix(name, "checkpoint")))
            continue;
        --*folders;
        size_t others = 0;
        g_autoptr(GPtrArray) found =
            streams_within(inner->pdata[i], depth + 1, folders, left_out ? &others : NULL);
        bool one = found->len == 1 && !((Stream *)found->pdata[0])->prefix;
        if (!(one && add_split(streams, ((Stream *)found->pdata[0])->path, name))) {
            if (streams->len)
                others = found->len > 0;
            else
                g_ptr_array_extend_and_steal(streams, g_steal_pointer(&found));
        }
        if (left_out) *left_out += others;
    }
    /* A text may also be about a run in a folder, so that it comes last. */
    if (!depth && !streams->len) add_log(folder, 3, left_out, streams);
    return streams;
}

/* Puts the files that a logger has rotated, “train.log.1”, before the log that they belong to.
 * Returns whether there are more of them than before. */
static bool add_rotated(GPtrArray *streams)
{
    guint had = streams->len;
    const Stream *log = had ? streams->pdata[had - 1] : NULL;
    if (!log || log->prefix || log->lane ||
        !g_str_has_prefix(((Stream *)streams->pdata[0])->path, log->path))
        return false;
    if (had > 1) g_ptr_array_remove_range(streams, 0, had - 1);
    for (bool is = true; is;) {
        g_autofree char *path = g_strdup_printf("%s.%u", log->path, streams->len);
        is = ns_outside_file_is(path);
        if (is) g_ptr_array_insert(streams, 0, stream_new(path, NULL, 0));
    }
    return streams->len > had;
}

static GPtrArray *streams_in(const char *folder, size_t *left_out)
{
    size_t folders = MOST_FOLDERS;
    if (left_out) *left_out = 0;
    GPtrArray *streams = streams_within(folder, 0, &folders, left_out);
    add_rotated(streams);
    return streams;
}

size_t ns_outside_file_left_out(const char *folder)
{
    size_t left_out;
    g_autoptr(GPtrArray) streams = streams_in(folder, &left_out);
    return left_out;
}

/* ---- Opening ---- */

/* The reason why a file that begins so has no log, or NULL. */
static const char *refusal_of(const char *head, size_t n)
{
    if (ns_lfs_pointer_is(head, n))
        return N_("it is a Git LFS pointer; fetch the file itself with “git lfs pull”");
    if (n >= 4 && memcmp(head, ":W&B", 4) == 0)
        return N_(
            "it is a binary record of Weights & Biases, whose history can be exported as CSV");
    return NULL;
}

/* The same for a table that Normscope wrote of figures or of a study: its columns “step” and
 * “value” are no run. */
static const char *own_table(const char *head, size_t n)
{
    bool own = (n >= 7 && memcmp(head, "figure,", 7) == 0) ||
               (n >= 10 && memcmp(head, "lane,name,", 10) == 0);
    return own ? N_("it is a table of figures or of a study, not the log of a run") : NULL;
}

/* Returns false if the file exists and cannot be read. */
static bool open_stream(NsOutsideFile *f, Stream *stream, GError **error)
{
    struct stat stat;
    stream->at = 0;
    stream->fd = ns_open_for_reading(stream->path);
    if (stream->fd < 0 && errno == EMEDIUMTYPE) {
        stream->project = project_open(stream->path, f->run);
        return stream->project ||
               refuse(stream->path, N_("it is a database that cannot be read as a trackio project"),
                      error);
    }
    if (stream->fd < 0) return errno == ENOENT || refuse(stream->path, g_strerror(errno), error);
    if (fstat(stream->fd, &stat) != 0) return refuse(stream->path, g_strerror(errno), error);
    if (S_ISDIR(stat.st_mode)) return refuse(stream->path, N_("it is a folder"), error);
    ssize_t n = pread(stream->fd, stream->head, HEAD, 0);
    const char *refusal = refusal_of(stream->head, (size_t)MAX(n, 0));
    if (!refusal) refusal = own_table(stream->head, (size_t)MAX(n, 0));
    if (!refusal) refusal = ns_figure_file_foreign(stream->path, stream->head, (size_t)MAX(n, 0));
    if (refusal) return refuse(stream->path, refusal, error);
    f->pipe = !S_ISREG(stat.st_mode);
    return true;
}

static bool is_table(const char *name)
{
    return g_str_has_suffix(name, ".csv") || g_str_has_suffix(name, ".tsv");
}

/* Adds the file of a stream to the run and opens it. */
static bool add_stream(NsOutsideFile *f, Stream *stream, GError **error)
{
    g_autofree char *name = g_path_get_basename(stream->path);
    ns_outside_add_file(f->run, f->streams->len > 1 ? name : NULL, stream->prefix, stream->lane,
                        is_table(name));
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
    f->streams = folder ? streams_in(path, &left_out) : g_ptr_array_new_with_free_func(stream_free);
    if (left_out)
        ns_outside_report(f->run,
                          _("Other logs in this folder are not shown (%zu); name one of "
                            "them to see it."),
                          left_out);
    f->scanned = g_get_monotonic_time();
    if (!folder) g_ptr_array_add(f->streams, stream_new(f->pipe ? NULL : path, NULL, 0));
    if (f->pipe) {
        ((Stream *)f->streams->pdata[0])->fd = STDIN_FILENO;
        return f;
    }
    if (!folder) add_rotated(f->streams);
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

static bool is_project(const char *path)
{
    Project *project = ns_database_is_there(path) ? project_open(path, NULL) : NULL;
    bool is = project != NULL;
    project_free(project);
    return is;
}

static NsOutside *read_bytes(const char *path, const char *bytes, size_t n)
{
    NsOutside *run = ns_outside_new(1 << 16);
    ns_outside_add_file(run, NULL, NULL, 0, is_table(path));
    ns_outside_feed(run, bytes, n);
    ns_outside_end(run);
    return run;
}

bool ns_outside_file_is(const char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_autoptr(GPtrArray) streams = streams_in(path, NULL);
        return streams->len > 0;
    }
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) return false;
    if (is_project(path)) return true;
    g_autofree char *head = g_malloc(CHUNK);
    size_t n = ns_database_file_head(path, head, CHUNK);
    /* A figure of Normscope in TeX begins with a comment that names losses between commas. */
    g_autofree char *experiment = NULL;
    ns_figure_file_find(head, MIN(n, COMMENT), &experiment);
    if (experiment || own_table(head, n)) return false;
    if (refusal_of(head, n) || ns_outside_are(head, n)) return true;
    /* The suffix says that it is a table or lines, of which columns can be chosen. */
    bool lines = g_str_has_suffix(path, ".jsonl") || g_str_has_suffix(path, ".ndjson");
    if (!lines && !is_table(path)) return false;
    g_autoptr(NsOutside) run = read_bytes(path, head, n);
    return ns_outside_may_be_mapped(run);
}

NsOutside *ns_outside_file_head(const char *path, bool *whole)
{
    bool bytes = g_file_test(path, G_FILE_TEST_IS_REGULAR) && !is_project(path);
    g_autofree char *head = g_malloc(CHUNK);
    size_t n = bytes ? ns_database_file_head(path, head, CHUNK) : 0;
    *whole = n < CHUNK;
    return bytes && !refusal_of(head, n) ? read_bytes(path, head, n) : NULL;
}

NsOutsideState ns_outside_file_state(const NsOutsideFile *f)
{
    for (guint i = 0; i < f->streams->len && !f->ended; i++)
        if (is_there(f->streams->pdata[i])) return NS_OUTSIDE_OPEN;
    return f->ended ? NS_OUTSIDE_CLOSED : NS_OUTSIDE_ABSENT;
}

const char *ns_outside_file_path(const NsOutsideFile *f)
{
    return f->streams->len ? ((const Stream *)f->streams->pdata[0])->path : NULL;
}

NsOutside *ns_outside_file_run(NsOutsideFile *f)
{
    return f->run;
}

/* ---- Regular files ---- */

/* Whether the path is still the file that was read, possibly longer. */
static bool is_same(const Stream *stream)
{
    struct stat there, own;
    char head[HEAD];
    if (stream->project) return ns_database_file_is_at(stream->project->file, stream->path);
    size_t n = (size_t)MIN(stream->at, (off_t)HEAD);
    if (fstat(stream->fd, &own) != 0 || own.st_size < stream->at) return false;
    if (stat(stream->path, &there) == 0 &&
        (there.st_ino != own.st_ino || there.st_dev != own.st_dev))
        return false;
    return pread(stream->fd, head, n, 0) == (ssize_t)n && memcmp(head, stream->head, n) == 0;
}

/* `replaced`: another run takes the place of the one that was read. */
static void begin_again(NsOutsideFile *f, bool replaced)
{
    ns_outside_begin_again(f->run, replaced);
    for (guint i = 0; i < f->streams->len; i++) {
        stream_close(f->streams->pdata[i]);
        add_stream(f, f->streams->pdata[i], NULL);
    }
}

static bool has_path(const GPtrArray *streams, const char *path)
{
    for (guint i = 0; i < streams->len; i++)
        if (g_str_equal(((const Stream *)streams->pdata[i])->path, path)) return true;
    return false;
}

/* Adds the files that are new in the folder.  If the run has another log, that is read instead. */
static void scan_folder(NsOutsideFile *f)
{
    int64_t now = g_get_monotonic_time();
    if (f->streams->len && now - f->scanned < SCAN_MICROSECONDS) return;
    f->scanned = now;
    g_autoptr(GPtrArray) found = streams_in(f->folder, NULL);
    guint missing = 0, more = 0;
    for (guint i = 0; i < f->streams->len; i++)
        missing += !has_path(found, ((const Stream *)f->streams->pdata[i])->path);
    for (guint i = 0; i < found->len; i++)
        more += !has_path(f->streams, ((const Stream *)found->pdata[i])->path);
    if (!more) return;
    /* The only file had no name yet, so that the run is read again. */
    if (f->streams->len == 1 || missing) {
        g_ptr_array_unref(f->streams);
        f->streams = g_steal_pointer(&found);
        begin_again(f, missing > 0);
        return;
    }
    for (guint i = 0; i < found->len;) {
        if (has_path(f->streams, ((const Stream *)found->pdata[i])->path)) {
            i++;
            continue;
        }
        g_ptr_array_add(f->streams, g_ptr_array_steal_index(found, i));
        add_stream(f, f->streams->pdata[f->streams->len - 1], NULL);
    }
}

/* The number of n bytes that were read, without zeros at the end of the file: space that its writer
 * has reserved and will fill, so that it has to be read again. */
static ssize_t without_reserved(const Stream *stream, const char *chunk, ssize_t n)
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
        Stream *stream = f->streams->pdata[i];
        size_t rows = stream->project ? project_read(stream->project, f->chunk, CHUNK) : 0;
        if (rows) ns_outside_feed_file(f->run, i, f->chunk, rows);
        if (rows) return true;
        if (stream->fd < 0) continue;
        ssize_t n = pread(stream->fd, f->chunk, CHUNK, stream->at);
        n = without_reserved(stream, f->chunk, n);
        if (n <= 0) continue;
        f->came = g_get_monotonic_time();
        if (stream->at < (off_t)HEAD) {
            size_t have = (size_t)stream->at;
            memcpy(stream->head + have, f->chunk, MIN((size_t)n, HEAD - have));
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
    int fd = ((const Stream *)f->streams->pdata[0])->fd;
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
            Stream *stream = f->streams->pdata[i];
            bool was_there = is_there(stream);
            if (was_there && is_same(stream)) continue;
            stream_close(stream);
            if (!open_stream(f, stream, NULL)) stream_close(stream);
            right &= !was_there;
        }
        if (!right) begin_again(f, !add_rotated(f->streams));
        bool read = read_regular(f);
        if (read && ns_outside_recall(f->run)) begin_again(f, true);
        int64_t left = until - g_get_monotonic_time();
        if (read || left <= 0) return read;
        g_usleep((gulong)MIN(left, 1000 * LOOK_MILLISECONDS));
    }
}
