/* SPDX-License-Identifier: MIT */
#include "core/base/file.h"

#include "core/base/error.h"
#include "core/base/words.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

int ns_file_size_limit(void)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? EFBIG : 0;
}

bool ns_file_error(const char *path, int code, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    const char *why = g_strerror(code), *advice = _("choose another file");
    if (!*path)
        return ns_refuse(error, NS_ERROR_FILE, N_("The output file has no name; give it one."));
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        why = _("the disk is full");
        advice = _("free some space or choose another disk");
        break;
    case EFBIG:
        why = _("the disk is full, or the file has reached the limit of file sizes");
        advice = _("free some space, raise the limit (“ulimit -f”) or choose another disk");
        break;
    case ENOENT:
    case ENOTDIR:
        why = _("there is no such folder");
        advice = _("create it or choose another one");
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        why = _("you are not allowed to write there");
        advice = _("choose another folder");
        break;
    case EISDIR:
        why = _("it is a folder");
        advice = _("add a file name");
        break;
    default:
        break;
    }
    return ns_refuse(error, NS_ERROR_FILE, N_("Cannot write “%s”: %s; %s."), name, why, advice);
}

bool ns_folder_make(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) == 0) return true;
    int code = errno;
    g_autofree char *name = g_filename_display_name(path);
    bool file = code == ENOTDIR || code == EEXIST;
    return ns_refuse(error, NS_ERROR_FILE, "The folder “%s” cannot be created: %s; choose another.",
                     name,
                     !*path ? "it has no name"
                     : file ? "a file has that name"
                            : g_strerror(code));
}

bool ns_write_all(int fd, const void *data, size_t bytes)
{
    for (const char *p = data; bytes > 0;) {
        ssize_t done = write(fd, p, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        p += done;
        bytes -= (size_t)done;
    }
    return true;
}

bool ns_read_all(int fd, uint64_t at, void *to, size_t bytes)
{
    for (char *p = to; bytes > 0;) {
        ssize_t got = pread(fd, p, bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return true;
}
