/* SPDX-License-Identifier: MIT */
#include "core/store/output_file.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".normscope-XXXXXX"

/* ---- Databases ---- */

/* Whether a file is a database, or lies beside one with the name of its log. */
static bool belongs_to_database(const char *path)
{
    static const char *const logs[] = {"-wal", "-shm", "-journal"};
    if (ns_database_is_there(path)) return true;
    for (size_t i = 0; i < G_N_ELEMENTS(logs); i++) {
        if (!g_str_has_suffix(path, logs[i])) continue;
        g_autofree char *main = g_strndup(path, strlen(path) - strlen(logs[i]));
        if (ns_database_is_there(main)) return true;
    }
    return false;
}

bool ns_output_file_check(const char *path, GError **error)
{
    GStatBuf info;
    bool there = g_stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) return ns_file_error(path, EISDIR, error);
    if (there && access(path, W_OK) != 0) return ns_file_error(path, errno, error);
    if (there && !S_ISREG(info.st_mode)) return true;
    char *real = realpath(path, NULL);
    bool spares = !belongs_to_database(real ? real : path);
    free(real);
    if (spares) return true;
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE,
                     N_("“%s” is a recorded run or holds the results of a study, and is never "
                        "overwritten; choose another file."),
                     name);
}

/* ---- Writing ---- */

bool ns_output_file_open(NsOutputFile *file, const char *path, GError **error)
{
    GStatBuf info;
    *file = (NsOutputFile){.fd = -1};
    if (!ns_output_file_check(path, error)) return false;
    bool there = g_stat(path, &info) == 0;
    file->direct = there && !S_ISREG(info.st_mode);
    /* A symbolic link stays, and the file that it names is replaced. */
    char *real = there && !file->direct ? realpath(path, NULL) : NULL;
    file->target = g_strdup(real ? real : path);
    free(real);
    g_autofree char *folder = g_path_get_dirname(file->target);
    if (file->direct)
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
    else if (access("/proc/self/fd", X_OK) == 0)
        file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (file->fd < 0 && !file->direct) {
        file->temporary = g_build_filename(folder, TEMPORARY, NULL);
        file->fd = g_mkstemp_full(file->temporary, O_WRONLY | O_CLOEXEC, 0666);
    }
    int code = errno;
    if (file->fd < 0) {
        g_free(file->target);
        g_free(file->temporary);
        return ns_file_error(path, code, error);
    }
    if (there && !file->direct) (void)!fchmod(file->fd, info.st_mode & 0777);
    file->path = g_strdup(path);
    return true;
}

/* Gives a file without a name one beside its target.  Returns 0 or an errno. */
static int give_name(NsOutputFile *file)
{
    g_autofree char *folder = g_path_get_dirname(file->target);
    g_autofree char *self = g_strdup_printf("/proc/self/fd/%d", file->fd);
    for (;;) {
        g_autofree char *name = g_strdup_printf(".normscope-%06x", g_random_int() & 0xffffff);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) {
            file->temporary = g_steal_pointer(&path);
            return 0;
        }
        if (errno != EEXIST) return errno;
    }
}

bool ns_output_file_close(NsOutputFile *file, int code, GError **error)
{
    if (!code && !file->direct && fsync(file->fd) != 0) code = errno;
    if (!code && !file->direct && !file->temporary) code = give_name(file);
    if (close(file->fd) != 0 && !code) code = errno;
    /* Another program may have put a run in this place meanwhile. */
    bool good = code || file->direct || ns_output_file_check(file->path, error);
    if (good && !code && !file->direct && g_rename(file->temporary, file->target) != 0)
        code = errno;
    if ((code || !good) && file->temporary) g_unlink(file->temporary);
    good = good && (!code || ns_file_error(file->path, code, error));
    g_free(file->path);
    g_free(file->target);
    g_free(file->temporary);
    return good;
}

bool ns_save(const char *path, const void *data, size_t size, GError **error)
{
    NsOutputFile file;
    if (!ns_output_file_open(&file, path, error)) return false;
    return ns_output_file_close(&file, ns_write_all(file.fd, data, size) ? 0 : errno, error);
}

/* Whether a spreadsheet would run the text of a cell as a formula (OWASP, CSV injection). */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text)) return false;
    g_ascii_strtod(text, &end);
    return *end || end == text;
}

void ns_csv_add_field(GString *out, const char *text)
{
    bool formula = is_formula(text);
    if (!formula && !strpbrk(text, ",\"\r\n")) {
        g_string_append(out, text);
        return;
    }
    g_string_append(out, formula ? "\"'" : "\"");
    for (const char *p = text; *p; p++) {
        if (*p == '"') g_string_append_c(out, '"');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}
