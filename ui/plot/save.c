/* Writes a file completely or not at all.  SPDX-License-Identifier: MIT */
#include "ui/plot/save.h"

#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path, int code, GError **error)
{
    ns_file_error(path, code, error);
    return false;
}

/* Writes and closes; returns 0 or an errno. */
static int fill(int fd, const void *data, size_t size, bool sync)
{
    int code = 0;
    if (!ns_write_all(fd, data, size) || (sync && fsync(fd) != 0)) code = errno;
    if (close(fd) != 0 && !code) code = errno;
    return code;
}

static bool replace(const char *path, mode_t mode, const void *data, size_t size, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *temporary = g_build_filename(folder, ".normscope-XXXXXX", NULL);
    int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) return fail(path, errno, error);
    if (mode) (void)!fchmod(fd, mode & 0777);
    int code = fill(fd, data, size, true);
    if (!code && g_rename(temporary, path) != 0) code = errno;
    if (!code) return true;
    g_unlink(temporary);
    return fail(path, code, error);
}

bool ns_save(const char *path, const void *data, size_t size, GError **error)
{
    GStatBuf info;
    if (g_stat(path, &info) != 0) return replace(path, 0, data, size, error);
    if (S_ISDIR(info.st_mode)) return fail(path, EISDIR, error);
    if (S_ISREG(info.st_mode)) {
        if (access(path, W_OK) != 0) return fail(path, errno, error);
        /* A symbolic link is preserved: its target is replaced. */
        char *real = realpath(path, NULL);
        bool ok = real ? replace(real, info.st_mode, data, size, error) : fail(path, errno, error);
        free(real);
        return ok;
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int code = fd < 0 ? errno : fill(fd, data, size, false);
    return code ? fail(path, code, error) : true;
}
