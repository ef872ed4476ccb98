/* Reads whole files into memory, up to a limit.  SPDX-License-Identifier: MIT */
#include "core/data/reader.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_errno_error(const char *name, int number, GError **error)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        ns_refuse(error, NS_ERROR_FILE, N_("There is no file “%s”; check the path."), name);
        break;
    case EACCES:
    case EPERM:
        ns_refuse(
            error, NS_ERROR_FILE,
            N_("You do not have permission to read “%s”; change the permissions of the file."),
            name);
        break;
    case ENXIO: /* a socket, or a device without a driver */
        ns_refuse(error, NS_ERROR_FILE,
                  N_("“%s” is a socket or a device, not a file; save the text to a file."), name);
        break;
    case EMEDIUMTYPE:
        ns_refuse(error, NS_ERROR_FILE,
                  N_("“%s” is a run or another database, not a text; choose another file."), name);
        break;
    default:
        ns_refuse(error, NS_ERROR_FILE, N_("The file “%s” cannot be read: %s."), name,
                  g_strerror(number));
        break;
    }
}

static void set_limit_error(const char *name, size_t limit, GError **error)
{
    g_autofree char *most = g_format_size_full(limit, G_FORMAT_SIZE_IEC_UNITS);
    ns_refuse(error, NS_ERROR_FILE,
              N_("The file “%s” is larger than %s, the limit for a text; use part of it."), name,
              most);
}

/* Reads to the end of the file, which may be longer than `expected`: files grow, and files in /proc
 * report a size of 0. */
static char *read_to_end(int fd, const char *name, size_t expected, size_t limit, size_t *bytes,
                         GError **error)
{
    size_t capacity = MIN(expected, limit) + 1;
    g_autofree char *data = g_try_malloc(capacity + 1);
    size_t n = 0;

    while (data != NULL) {
        ssize_t got = read(fd, data + n, capacity - n);
        if (got < 0) {
            if (errno == EINTR) continue;
            set_errno_error(name, errno, error);
            return NULL;
        }
        if (got == 0) {
            data[n] = '\0';
            *bytes = n;
            return g_steal_pointer(&data);
        }
        n += (size_t)got;
        if (n > limit) {
            set_limit_error(name, limit, error);
            return NULL;
        }
        if (n == capacity) {
            capacity = MIN(MAX(2 * capacity, 4096), limit + 1);
            char *larger = g_try_realloc(data, capacity + 1);
            if (larger == NULL) break;
            data = larger;
        }
    }
    g_autofree char *size = g_format_size_full(capacity, G_FORMAT_SIZE_IEC_UNITS);
    return ns_refuse_null(error, NS_ERROR_MEMORY,
                          N_("There is not enough memory to read “%s” (%s); use a smaller file."),
                          name, size);
}

char *ns_read_file(const char *path, size_t limit, size_t *bytes, GError **error)
{
    g_autofree char *name = g_filename_display_name(path);
    int fd = ns_open_for_reading(path);
    if (fd < 0) {
        set_errno_error(name, errno, error);
        return NULL;
    }

    char *data = NULL;
    struct stat status;
    if (fstat(fd, &status) < 0)
        set_errno_error(name, errno, error);
    else if (S_ISDIR(status.st_mode))
        ns_refuse(error, NS_ERROR_FILE, N_("“%s” is a folder; name a file in it."), name);
    else if (!S_ISREG(status.st_mode))
        ns_refuse(error, NS_ERROR_FILE,
                  N_("“%s” is a pipe or a device, not a file; save the text to a file."), name);
    else if ((uint64_t)status.st_size > limit)
        set_limit_error(name, limit, error);
    else
        data = read_to_end(fd, name, (size_t)status.st_size, limit, bytes, error);
    close(fd);
    if (data && ns_lfs_pointer_is(data, *bytes)) {
        ns_lfs_pointer_refuse(name, error);
        g_clear_pointer(&data, g_free);
    }
    return data;
}

bool ns_lfs_pointer_is(const char *data, size_t bytes)
{
    static const char begin[NS_LFS_POINTER_BYTES] = "version https://git-lfs.github.com";
    return bytes >= sizeof begin && memcmp(data, begin, sizeof begin) == 0;
}

bool ns_lfs_pointer_refuse(const char *name, GError **error)
{
    return ns_refuse(error, NS_ERROR_FILE,
                     N_("“%s” is a Git LFS pointer, not the file itself; fetch the file with “git "
                        "lfs pull”, or download it."),
                     name);
}

size_t ns_byte_order_mark(const char *text, size_t bytes)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t n = strlen(mark);
    return bytes >= n && memcmp(text, mark, n) == 0 ? n : 0;
}

/* ---- Texts ---- */

bool ns_text_check(const char *text, size_t bytes, const char *source, GError **error)
{
    const char *invalid = NULL;
    if (g_utf8_validate_len(text, bytes, &invalid)) return true;
    const char *zero = memchr(text, '\0', bytes);
    size_t at = (size_t)((zero ? zero : invalid) - text), line = 1;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') line++;
    if (bytes >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return ns_refuse(error, NS_ERROR_TEXT,
                         N_("“%s” looks like UTF-16 (byte 1, line 1); save it as UTF-8."), source);
    return ns_refuse(error, NS_ERROR_TEXT,
                     zero ? N_("“%s” is not a text file; choose another one.")
                          : N_("“%s” is not UTF-8 text (see line %zu); save it as UTF-8."),
                     source, line);
}

/* Replaces compressed data by the decompressed data. */
static bool decompress(char **data, size_t *bytes, const char *name, GError **error)
{
    g_autoptr(GInputStream) compressed =
        g_memory_input_stream_new_from_data(*data, (gssize)*bytes, NULL);
    g_autoptr(GZlibDecompressor) gzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    g_autoptr(GInputStream) plain = g_converter_input_stream_new(compressed, G_CONVERTER(gzip));
    g_autoptr(GByteArray) all = g_byte_array_new();
    g_autoptr(GError) wrong = NULL;
    char part[1 << 12];
    gssize n;
    while ((n = g_input_stream_read(plain, part, sizeof part, NULL, &wrong)) > 0) {
        if (all->len + (size_t)n > NS_TEXT_MAX)
            return ns_refuse(error, NS_ERROR_FILE,
                             N_("The text in “%s” is larger than 256 MiB, the limit for a text; "
                                "use part of it."),
                             name);
        g_byte_array_append(all, (const guint8 *)part, (guint)n);
    }
    if (n < 0)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” cannot be decompressed: %s; make or download the file again."),
                         name, wrong->message);
    g_byte_array_append(all, (const guint8 *)"", 1);
    *bytes = all->len - 1;
    g_free(*data);
    *data = (char *)g_byte_array_free(g_steal_pointer(&all), FALSE);
    return true;
}

char *ns_text_read(const char *path, size_t *bytes, GError **error)
{
    g_autofree char *data = ns_read_file(path, NS_TEXT_MAX, bytes, error);
    if (!data) return NULL;
    g_autofree char *name = g_filename_display_basename(path);
    bool gzip = *bytes > 2 && memcmp(data, "\x1F\x8B", 2) == 0;
    if (gzip && !decompress(&data, bytes, name, error)) return NULL;
    if (!ns_text_check(data, *bytes, name, error)) return NULL;
    size_t mark = ns_byte_order_mark(data, *bytes);
    *bytes -= mark;
    memmove(data, data + mark, *bytes + 1);
    return g_steal_pointer(&data);
}
