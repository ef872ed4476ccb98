/* SPDX-License-Identifier: MIT
 *
 * Whether a file is a log, and which files of a folder are one run. */
#include "core/store/outside_files-private.h"

#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/settings/settings.h"
#include "core/store/figure_file.h"
#include "core/store/outside_file.h"
#include "core/store/outside_name.h"

#include <string.h>
#include <unistd.h>

/* Bytes of a file that say what it is, and within which a figure begins with its experiment. */
#define BEGINNING ((size_t)1 << 20)
#define COMMENT ((size_t)4096)

/* How a log is looked for in a folder, and in those in it up to a depth: by all its names, which a
 * folder of any project may have, or by the first `own` of the suffixes in it and the first `inner`
 * in those.  A text may also be about a run in a folder, so that it comes later. */
typedef struct {
    int deepest;
    size_t own, inner;
    size_t looks; /* that remain: at folders in it, and at files by their suffixes in those */
} Search;

static const Search searches[] = {{2, 2, 0, 200}, {0, 3, 0, 0}, {6, 0, 0, 200}, {3, 0, 3, 100}};

/* ---- Files ---- */

NsOutsideStream *ns_outside_stream_new(const char *path, const char *prefix, size_t lane)
{
    NsOutsideStream *stream = g_new0(NsOutsideStream, 1);
    stream->path = g_strdup(path);
    stream->prefix = g_strdup(prefix);
    stream->lane = lane;
    stream->fd = -1;
    return stream;
}

void ns_outside_stream_close(NsOutsideStream *stream)
{
    if (stream->fd >= 0) close(stream->fd);
    stream->fd = -1;
    g_clear_pointer(&stream->project, ns_outside_project_free);
}

void ns_outside_stream_free(gpointer data)
{
    NsOutsideStream *stream = data;
    if (stream->path) ns_outside_stream_close(stream);
    g_free(stream->path);
    g_free(stream->prefix);
    g_free(stream);
}

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

const char *ns_outside_refusal(const char *path, const char *head, size_t n)
{
    const char *refusal = refusal_of(head, n), *own = own_table(head, n);
    return refusal ? refusal : own ? own : ns_figure_file_foreign(path, head, n);
}

bool ns_outside_is_table(const char *name)
{
    return g_str_has_suffix(name, ".csv") || g_str_has_suffix(name, ".tsv");
}

static NsOutside *read_bytes(const char *path, const char *bytes, size_t n)
{
    NsOutside *run = ns_outside_new(1 << 16);
    ns_outside_add_file(run, NULL, NULL, 0, ns_outside_is_table(path));
    ns_outside_feed(run, bytes, n);
    ns_outside_end(run);
    return run;
}

/* `mapped`: also a table or lines of which columns can be chosen, as their suffix says. */
static bool is_log(const char *path, bool mapped)
{
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_autoptr(GPtrArray) streams = ns_outside_find(path, NULL);
        return streams->len > 0;
    }
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) return false;
    if (ns_outside_project_is(path)) return true;
    g_autofree char *head = g_malloc(BEGINNING);
    size_t n = ns_database_file_head(path, head, BEGINNING);
    /* A figure of Normscope in TeX begins with a comment that names losses between commas. */
    g_autofree char *experiment = NULL;
    ns_figure_file_find(head, MIN(n, COMMENT), &experiment);
    if (experiment || own_table(head, n)) return false;
    if (refusal_of(head, n) || ns_outside_are(head, n)) return true;
    bool lines = g_str_has_suffix(path, ".jsonl") || g_str_has_suffix(path, ".ndjson");
    if (!mapped || (!lines && !ns_outside_is_table(path))) return false;
    g_autoptr(NsOutside) run = read_bytes(path, head, n);
    return ns_outside_may_be_mapped(run);
}

bool ns_outside_file_is(const char *path)
{
    return is_log(path, true);
}

NsOutside *ns_outside_file_head(const char *path, bool *whole)
{
    bool bytes = g_file_test(path, G_FILE_TEST_IS_REGULAR) && !ns_outside_project_is(path);
    g_autofree char *head = g_malloc(BEGINNING);
    size_t n = bytes ? ns_database_file_head(path, head, BEGINNING) : 0;
    *whole = n < BEGINNING;
    return bytes && !refusal_of(head, n) ? read_bytes(path, head, n) : NULL;
}

/* ---- Folders ---- */

/* Whether a folder or file of this name has one curve, such as “validation” or “loss_train”, rather
 * than a run. */
static bool is_curve(const char *name)
{
    NsOutsideNames *names = ns_outside_names_new();
    NsOutsideKind kind = ns_outside_names_find(names, name, "loss")->kind;
    ns_outside_names_free(names);
    return kind == NS_OUTSIDE_LOSS || kind == NS_OUTSIDE_VALIDATION;
}

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
        g_ptr_array_add(streams, ns_outside_stream_new(files->pdata[i], prefix, lane));
        n++;
    }
    return n;
}

/* The event files of a folder and of those in it.  A folder in it is a curve, such as “validation”
 * or “loss_train”, or else a run of its own; *left_out counts those beyond the last lane. */
static GPtrArray *events_in(const char *folder, size_t *left_out)
{
    GPtrArray *streams = g_ptr_array_new_with_free_func(ns_outside_stream_free);
    g_autoptr(GPtrArray) inner = list(folder, G_FILE_TEST_IS_DIR);
    bool own = add_events(folder, NULL, 0, streams) > 0;
    size_t lane = 1;
    for (guint i = 0; i < inner->len; i++) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        guint before = streams->len;
        if (own || is_curve(name)) {
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
    return !is_curve(stem) ? 0 : ns_outside_has_split(stem, true) ? 'v' : 't';
}

/* Adds a log if it is the first one, or that of validation beside that of training or the other way
 * round. */
static bool add_split(GPtrArray *streams, const char *path, const char *name)
{
    NsOutsideStream *first = streams->len ? streams->pdata[0] : NULL, *stream;
    char split = split_of(name);
    if (first && (streams->len > 1 || !split || !first->split || first->split == split))
        return false;
    stream = ns_outside_stream_new(path, NULL, 0);
    stream->split = split;
    g_ptr_array_insert(streams, split == 'v' ? -1 : 0, stream);
    if (first) (split == 'v' ? stream : first)->prefix = g_strdup("validation");
    return true;
}

/* Adds a log, with that of validation beside it; *left_out counts more of them. */
static void add_log(const char *folder, int depth, Search *search, size_t *left_out,
                    GPtrArray *streams)
{
    size_t kinds = depth ? search->inner : search->own;
    g_auto(GStrv) names = g_strsplit(log_names, " ", -1);
    for (char **name = names; *name && !streams->len; name++) {
        g_autofree char *path = g_build_filename(folder, *name, NULL);
        if (ns_outside_file_is(path)) add_split(streams, path, *name);
    }
    const bool known = streams->len;
    if (known && !g_str_has_suffix(((NsOutsideStream *)streams->pdata[0])->path, "/train.jsonl"))
        return;
    if (known) kinds = 1;
    g_autoptr(GPtrArray) files = list(folder, G_FILE_TEST_IS_REGULAR);
    for (guint i = 0; i < kinds * files->len; i++) {
        static const char *const suffixes[][3] = {
            {".jsonl", ".csv"}, {".ndjson", ".tsv", ".log"}, {".json", ".txt", ".out"}};
        const char *path = files->pdata[i % files->len], *const *suffix = suffixes[i / files->len];
        g_autofree char *name = g_path_get_basename(path);
        if (g_str_has_suffix(name, ".gz")) name[strlen(name) - strlen(".gz")] = '\0';
        bool log = false;
        for (size_t k = 0; k < 3; k++) log |= suffix[k] && g_str_has_suffix(name, suffix[k]);
        const char split = split_of(name);
        bool open = !streams->len || (known ? split == 'v' : left_out || split);
        if (!log || !open || (depth && !search->looks)) continue;
        search->looks -= depth > 0;
        if (!is_log(path, !depth)) continue;
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
            prefix = is_curve(run) ? g_strdup_printf("%s/%s", run, tag) : g_strdup(tag);
        } else if (!(table && g_str_has_prefix(name, "Train_Samples_")) &&
                   !(json && g_str_has_prefix(name, "metrics_epoch_"))) {
            continue;
        }
        g_ptr_array_add(streams, ns_outside_stream_new(files->pdata[i], prefix, 0));
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
        g_ptr_array_add(streams, ns_outside_stream_new(files->pdata[i], path ? path : name, 0));
    }
    for (guint i = 0; !within && i < inner->len; i++) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        add_metrics(inner->pdata[i], name, streams);
    }
}

/* The streams of the run in a folder: its event files, or a log, or those of the last folder in it
 * that has one.  *left_out counts the other logs in it; NULL: they are not looked for. */
static GPtrArray *streams_within(const char *folder, int depth, Search *search, size_t *left_out)
{
    GPtrArray *streams = events_in(folder, left_out);
    if (!streams->len) add_curves(folder, streams);
    g_autofree char *meta = g_build_filename(folder, "meta.yaml", NULL);
    g_autofree char *metrics = g_build_filename(folder, "metrics", NULL);
    g_autofree char *plots = g_build_filename(folder, "plots", "metrics", NULL);
    if (!streams->len)
        add_metrics(g_file_test(meta, G_FILE_TEST_IS_REGULAR) ? metrics : plots, NULL, streams);
    if (streams->len) return streams;
    add_log(folder, depth, search, left_out, streams);
    if (streams->len) return streams;
    g_autoptr(GPtrArray) inner = list(folder, G_FILE_TEST_IS_DIR);
    guint i = depth < search->deepest ? inner->len : 0;
    while (search->looks && i-- > 0) {
        g_autofree char *name = g_path_get_basename(inner->pdata[i]);
        if (streams->len && !left_out && !split_of(name)) continue;
        /* A link may lead anywhere, also around in a circle; and a checkpoint has the beginning of
         * the log of its run. */
        if (g_file_test(inner->pdata[i], G_FILE_TEST_IS_SYMLINK) ||
            (streams->len && g_str_has_prefix(name, "checkpoint")))
            continue;
        search->looks--;
        size_t others = 0;
        g_autoptr(GPtrArray) found =
            streams_within(inner->pdata[i], depth + 1, search, left_out ? &others : NULL);
        bool one = found->len == 1 && !((NsOutsideStream *)found->pdata[0])->prefix;
        if (!(one && add_split(streams, ((NsOutsideStream *)found->pdata[0])->path, name))) {
            if (streams->len)
                others = found->len > 0;
            else
                g_ptr_array_extend_and_steal(streams, g_steal_pointer(&found));
        }
        if (left_out) *left_out += others;
    }
    return streams;
}

bool ns_outside_find_rotated(GPtrArray *streams)
{
    guint had = streams->len;
    const NsOutsideStream *log = had ? streams->pdata[had - 1] : NULL;
    if (!log || log->prefix || log->lane ||
        !g_str_has_prefix(((NsOutsideStream *)streams->pdata[0])->path, log->path))
        return false;
    if (had > 1) g_ptr_array_remove_range(streams, 0, had - 1);
    for (bool is = true; is;) {
        g_autofree char *path = g_strdup_printf("%s.%u", log->path, streams->len);
        is = ns_outside_file_is(path);
        if (is) g_ptr_array_insert(streams, 0, ns_outside_stream_new(path, NULL, 0));
    }
    return streams->len > had;
}

GPtrArray *ns_outside_find(const char *folder, size_t *left_out)
{
    GPtrArray *streams = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(searches) && !streams->len; i++) {
        Search search = searches[i];
        if (left_out) *left_out = 0;
        g_ptr_array_unref(streams);
        streams = streams_within(folder, 0, &search, left_out);
    }
    ns_outside_find_rotated(streams);
    return streams;
}

size_t ns_outside_file_left_out(const char *folder)
{
    size_t left_out;
    g_autoptr(GPtrArray) streams = ns_outside_find(folder, &left_out);
    return left_out;
}
