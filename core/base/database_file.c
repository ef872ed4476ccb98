/* SPDX-License-Identifier: MIT */
#include "core/base/database_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct NsDatabaseFile {
    dev_t device;
    ino_t inode;
    int fd;
    unsigned users;
    bool locked; /* by this process */
};

static GMutex mutex; /* protects the list, and prevents that a file is opened during a probe */
static GPtrArray *files;

static NsDatabaseFile *find(const struct stat *there)
{
    for (guint i = 0; files && i < files->len; i++) {
        NsDatabaseFile *file = files->pdata[i];
        if (file->device == there->st_dev && file->inode == there->st_ino) return file;
    }
    return NULL;
}

static NsDatabaseFile *find_path(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? find(&there) : NULL;
}

/* Opens a file that is no database of this process.  If another file takes its place meanwhile, it
 * may be one: its descriptor is then never closed. */
static int open_other(const char *path, int flags)
{
    struct stat own;
    int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd < 0 || (fstat(fd, &own) == 0 && !find(&own))) return fd;
    errno = EBUSY;
    return -1;
}

NsDatabaseFile *ns_database_file_open(const char *path, int flags)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    NsDatabaseFile *file = flags & O_EXCL ? NULL : find_path(path);
    if (file) {
        file->users++;
        return file;
    }
    struct stat own;
    int fd = open_other(path, flags | O_RDWR);
    int why = errno;
    if (fd < 0 && (why == EACCES || why == EROFS) && (fd = open_other(path, O_RDONLY)) < 0)
        errno = why; /* not that there is no file to read */
    if (fd < 0) return NULL;
    if (fstat(fd, &own) != 0 || !S_ISREG(own.st_mode)) {
        errno = S_ISDIR(own.st_mode) ? EISDIR : EINVAL;
        close(fd);
        return NULL;
    }
    file = g_new0(NsDatabaseFile, 1);
    *file = (NsDatabaseFile){.device = own.st_dev, .inode = own.st_ino, .fd = fd, .users = 1};
    if (!files) files = g_ptr_array_new();
    g_ptr_array_add(files, file);
    return file;
}

void ns_database_file_close(NsDatabaseFile *file)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    if (!file || --file->users > 0) return;
    g_ptr_array_remove_fast(files, file);
    if (files->len == 0) g_clear_pointer(&files, g_ptr_array_unref);
    close(file->fd);
    g_free(file);
}

bool ns_database_file_lock(NsDatabaseFile *file)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    errno = EWOULDBLOCK;
    bool locked = !file->locked && flock(file->fd, LOCK_EX | LOCK_NB) == 0;
    file->locked |= locked;
    return locked;
}

void ns_database_file_unlock(NsDatabaseFile *file)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    flock(file->fd, LOCK_UN);
    file->locked = false;
}

/* SQLite locks no bytes at the beginning of a file. */
bool ns_database_file_can_lock(const NsDatabaseFile *file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (fcntl(file->fd, F_SETLK, &lock) != 0) return errno == EACCES || errno == EAGAIN;
    lock.l_type = F_UNLCK;
    fcntl(file->fd, F_SETLK, &lock);
    return true;
}

bool ns_database_file_is_at(const NsDatabaseFile *file, const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && there.st_ino == file->inode && there.st_dev == file->device;
}

bool ns_database_file_is_locked(const char *path)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    NsDatabaseFile *file = find_path(path);
    if (file && file->locked) return true;
    int fd = file ? file->fd : open_other(path, O_RDONLY);
    if (fd < 0) return false;
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    flock(fd, LOCK_UN);
    if (!file) close(fd);
    return locked;
}

/* The first bytes of a regular file whose descriptor is `fd`. */
static size_t read_head(int fd, void *head, size_t n)
{
    struct stat own;
    size_t have = 0;
    if (fstat(fd, &own) != 0 || !S_ISREG(own.st_mode)) return 0;
    while (have < n) {
        ssize_t got = pread(fd, (char *)head + have, n - have, (off_t)have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += (size_t)got;
    }
    return have;
}

size_t ns_database_file_head(const char *path, void *head, size_t n)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    NsDatabaseFile *file = find_path(path);
    int fd = file ? file->fd : open_other(path, O_RDONLY);
    size_t have = fd < 0 ? 0 : read_head(fd, head, n);
    if (!file && fd >= 0) close(fd);
    return have;
}

int ns_open_for_reading(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its zero byte */
    char head[sizeof magic];
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&mutex);
    errno = EMEDIUMTYPE;
    if (g_str_has_suffix(path, "-shm") || find_path(path)) return -1;
    int fd = open_other(path, O_RDONLY);
    if (fd < 0 || read_head(fd, head, sizeof head) < sizeof head ||
        memcmp(head, magic, sizeof head) != 0)
        return fd;
    close(fd);
    errno = EMEDIUMTYPE;
    return -1;
}
