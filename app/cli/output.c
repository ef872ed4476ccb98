/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/tokenizer.h"
#include "core/experiment/param.h"
#include "core/store/output_file.h"
#include "core/store/recorded_run.h"
#include "core/study/study_store.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Lines may be followed live, but flushing each one would cost more than a step. */
#define FLUSH_MICROSECONDS 100000
#define PROGRESS_MICROSECONDS 100000

struct NsLines {
    FILE *file;
    char *path;    /* NULL: standard output */
    bool separate; /* `file` writes to `output` */
    NsOutputFile output;
    gint64 flushed;
};

void ns_output_error(const char *path, int errno_, GError **error)
{
    if (errno_ == EPIPE)
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_PIPE,
                            "The reader of standard output has closed it.");
    else if (path)
        ns_file_error(path, errno_, error);
    else
        g_set_error(error, NS_ERROR, NS_ERROR_FILE, "Standard output cannot be written: %s.",
                    g_strerror(errno_));
}

bool ns_output_check_place(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int failed = 0;
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
        failed = ENOTDIR;
    else if (g_file_test(path, G_FILE_TEST_IS_DIR))
        failed = EISDIR;
    else if (access(folder, W_OK) != 0 && access(path, W_OK) != 0)
        failed = EACCES;
    if (failed) ns_output_error(path, failed, error);
    return !failed;
}

bool ns_output_check(const char *path, GError **error)
{
    if (!ns_output_check_place(path, error) || !ns_output_file_check(path, error)) return false;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || ns_recorded_kind(path) == NS_RECORDED_NONE)
        return true;
    g_autoptr(NsRecordedRun) run = ns_recorded_run_open(path, NULL, NULL);
    return !run || ns_refuse(error, NS_ERROR_FILE,
                             "“%s” holds a recorded run, and is never overwritten; choose another "
                             "file.",
                             run->name);
}

/* Whether two paths are the same regular file, or will be when it has been created. */
static bool is_same(const char *a, const char *b)
{
    GStatBuf first, second;
    if (!a || !b) return false;
    bool has_first = g_stat(a, &first) == 0, has_second = g_stat(b, &second) == 0;
    if (has_first != has_second) return false;
    if (has_first)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino &&
               S_ISREG(first.st_mode);
    g_autofree char *whole = g_canonicalize_filename(a, NULL);
    g_autofree char *other = g_canonicalize_filename(b, NULL);
    return g_str_equal(whole, other);
}

bool ns_outputs_differ(const char *a, const char *b, GError **error)
{
    if (!is_same(a, b)) return true;
    g_autofree char *name = g_filename_display_name(a);
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” is named for two outputs; give each its own file.", name);
}

/* FALSE with NS_ERROR_USAGE if both paths are the same file.  Either may be NULL or missing. */
static bool spares(const char *path, const char *input, GError **error)
{
    if (!is_same(path, input) || !g_file_test(input, G_FILE_TEST_EXISTS)) return true;
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” is an input and would be overwritten; choose another output file.",
                     name);
}

/* The same for a file or folder `path`, and an input that is a folder of files. */
static bool spares_folder(const char *path, const char *folder, GError **error)
{
    if (!path || !folder) return true;
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *inside = g_build_filename(folder, name, NULL);
    GStatBuf out, in;
    bool same = g_stat(path, &out) == 0 && g_stat(folder, &in) == 0 && out.st_dev == in.st_dev &&
                out.st_ino == in.st_ino;
    if (!same) return spares(path, inside, error);
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” is an input, whose files would be overwritten; choose another folder.",
                     path);
}

bool ns_output_spares_data(const char *path, const NsSettings *settings, GError **error)
{
    NsSettings own = *settings; /* borrows the strings */
    g_auto(GStrv) merges = ns_tokenizer_files(own.tokenizer);
    char **file;
    for (size_t i = 0; (file = ns_settings_file(&own, i)); i++)
        if (!spares(path, *file, error)) return false;
    for (file = merges; *file; file++)
        if (!spares(path, *file, error)) return false;
    return true;
}

bool ns_output_spares_inputs(const char *path, const NsArguments *a, GError **error)
{
    const char *const files[] = {a->from, a->preset, a->in, a->merges};
    char **const lists[] = {a->files, a->alongside};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (!spares(path, files[i], error)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        for (char **file = lists[i]; file && *file; file++)
            /* A study continues its own results; no other output replaces a database. */
            if (!ns_study_store_is(*file) && !spares(path, *file, error)) return false;
    for (size_t i = 0; i < a->experiment.n; i++)
        if (!ns_output_spares_data(path, &a->experiment.lane[i], error)) return false;
    return spares_folder(path, a->checkpoint, error);
}

bool ns_outputs_spare_inputs(const NsArguments *a, GError **error)
{
    /* With --each, --out is not itself the name of a file. */
    const char *const outputs[] = {a->each ? NULL : a->out, a->jsonl, a->csv, a->results,
                                   a->pytorch};
    for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++)
        if (!ns_output_spares_inputs(outputs[i], a, error)) return false;
    return true;
}

/* Opens a file that grows under its own name, and empties it unless another process writes it. */
static FILE *open_live(const char *path, GError **error)
{
    FILE *file = fopen(path, "ae");
    struct stat own;
    if (file && flock(fileno(file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        g_autofree char *name = g_filename_display_name(path);
        ns_refuse(error, NS_ERROR_FILE,
                  "“%s” is being written by another program; choose another file.", name);
    } else if (file && fstat(fileno(file), &own) == 0 &&
               (!S_ISREG(own.st_mode) || ftruncate(fileno(file), 0) == 0))
        return file;
    else
        ns_output_error(path, errno, error);
    if (file) fclose(file);
    return NULL;
}

NsLines *ns_lines_open(const char *path, bool live, GError **error)
{
    /* “-”, or a name of the file to which standard output goes, such as /dev/stdout. */
    GStatBuf file, output;
    bool standard =
        g_str_equal(path, "-") || (g_stat(path, &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
                                   file.st_dev == output.st_dev && file.st_ino == output.st_ino);
    NsLines *lines = g_new0(NsLines, 1);
    lines->path = standard ? NULL : g_strdup(path);
    lines->separate = !standard && !live &&
                      (g_file_test(path, G_FILE_TEST_IS_REGULAR) || access(path, F_OK) != 0);
    if (lines->separate) {
        if (ns_output_file_open(&lines->output, path, error))
            lines->file = fdopen(dup(lines->output.fd), "w");
    } else if (standard)
        lines->file = stdout;
    else if (ns_output_file_check(path, error))
        lines->file = open_live(path, error);
    if (lines->file) return lines;
    g_free(lines->path);
    g_free(lines);
    return NULL;
}

bool ns_lines_write(NsLines *lines, const char *line, GError **error)
{
    bool written = fputs(line, lines->file) >= 0 && putc('\n', lines->file) != EOF;
    if (!written) ns_output_error(lines->path, errno, error);
    if (written && g_get_monotonic_time() - lines->flushed >= FLUSH_MICROSECONDS)
        return ns_lines_flush(lines, error);
    return written;
}

bool ns_lines_flush(NsLines *lines, GError **error)
{
    bool written = fflush(lines->file) == 0;
    lines->flushed = g_get_monotonic_time();
    if (!written) ns_output_error(lines->path, errno, error);
    return written;
}

bool ns_lines_write_bytes(NsLines *lines, const void *bytes, size_t n, GError **error)
{
    bool written = fwrite(bytes, 1, n, lines->file) == n;
    if (!written) ns_output_error(lines->path, errno, error);
    return written;
}

bool ns_lines_close(NsLines *lines, bool good, GError **error)
{
    int code = 0;
    if (fflush(lines->file) != 0 || ferror(lines->file)) code = errno;
    if (lines->file != stdout && fclose(lines->file) != 0 && !code) code = errno;
    if (lines->separate)
        good = ns_output_file_close(&lines->output, good ? code : ECANCELED, good ? error : NULL) &&
               good;
    else if (code) {
        if (good) ns_output_error(lines->path, code, error);
        good = false;
    }
    g_free(lines->path);
    g_free(lines);
    return good;
}

void ns_progress_start(NsProgress *progress, bool wanted)
{
    *progress = (NsProgress){.on = wanted && isatty(STDERR_FILENO)};
}

/* Whether the line may be updated now; if so, it has been cleared. */
static bool begin_line(NsProgress *progress)
{
    gint64 now = g_get_monotonic_time();
    if (!progress->on || now - progress->shown < PROGRESS_MICROSECONDS) return false;
    progress->shown = now;
    fputs("\r\033[K", stderr);
    return true;
}

void ns_progress_step(NsProgress *progress, gint64 step, gint64 of, double loss)
{
    if (!begin_line(progress)) return;
    g_autofree char *at = ns_group_digits(step), *end = ns_group_digits(of);
    fprintf(stderr, "step %s", at);
    if (of > 0) fprintf(stderr, " of %s", end);
    if (isfinite(loss)) fprintf(stderr, ", loss %.3f", loss);
    fflush(stderr);
}

void ns_progress_cells(NsProgress *progress, const char *what, size_t done, size_t of,
                       double seconds_left)
{
    if (!begin_line(progress)) return;
    fprintf(stderr, "%s%s%zu of %zu", what ? what : "", what ? ", " : "", done, of);
    if (isfinite(seconds_left)) fprintf(stderr, ", about %.0f s left", seconds_left);
    fflush(stderr);
}

void ns_progress_share(NsProgress *progress, const char *what, double share)
{
    if (!begin_line(progress)) return;
    fprintf(stderr, "%s, %.0f %%", what, 100 * share);
    fflush(stderr);
}

void ns_progress_end(NsProgress *progress)
{
    if (progress->on && progress->shown) fputs("\r\033[K", stderr);
    progress->on = false;
}

char *ns_output_number(const char *format, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    /* More digits would run into the next column. */
    if (fabs(value) >= 1e7) format = "%.3e";
    return g_strdup(isfinite(value) ? g_ascii_formatd(text, sizeof text, format, value)
                                    : "diverged");
}

void ns_row_add(GString *row, int width, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_autofree char *text = g_strdup_vprintf(format, words);
    va_end(words);
    int missing = MAX(ABS(width) - (int)g_utf8_strlen(text, -1), 0);
    if (width > 0) g_string_append_printf(row, "%*s", missing, "");
    g_string_append(row, text);
    if (width < 0) g_string_append_printf(row, "%*s", missing, "");
}

void ns_row_number(GString *row, int width, const char *format, double value)
{
    g_autofree char *text = ns_output_number(format, value);
    ns_row_add(row, width, "%s", text);
}

void ns_row_count(GString *row, int width, int64_t n)
{
    g_autofree char *text = ns_group_digits(n);
    ns_row_add(row, width, "%s", text);
}

void ns_row_print(GString *row)
{
    puts(g_strchomp(row->str));
    g_string_truncate(row, 0);
}

void ns_output_messages(GQueue *messages)
{
    for (char *message; (message = g_queue_pop_head(messages)); g_free(message))
        fprintf(stderr, NS_CLI ": %s\n", message);
}
