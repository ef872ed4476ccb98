/* SPDX-License-Identifier: MIT */
#include "core/store/outside_watch.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/thread.h"
#include "core/train/run.h"

#include <stdatomic.h>
#include <string.h>

/* How long one round of all sources waits for new bytes, and so the maximum delay of the end of a
 * watch. */
#define LOOK_MILLISECONDS 100

typedef struct {
    NsOutsideFile *file;
    char *name; /* display name */
    bool saved; /* it is standard input, which is also written to a file */
    bool ended;
    NsOutsideState state;               /* as published */
    NsHistory *histories[NS_LANES_MAX]; /* as published: references */
    size_t lanes;                       /* as published */
} Source;

struct NsOutsideWatch {
    Source sources[NS_LANES_MAX];
    size_t n;
    atomic_bool left;   /* its owner has freed it */
    atomic_int holders; /* number of references: the thread and the owner */
    pthread_mutex_t mutex;
    /* Protected by the mutex, like the published fields of the sources. */
    guint64 version;
    GQueue messages;
};

/* The number of threads that save standard input. */
static pthread_mutex_t saving_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t saving_over = PTHREAD_COND_INITIALIZER;
static int saving;

static void count_saving(int more)
{
    NS_HELD held = ns_hold(&saving_mutex);
    saving += more;
    pthread_cond_broadcast(&saving_over);
}

static void watch_unref(NsOutsideWatch *w)
{
    if (atomic_fetch_sub(&w->holders, 1) > 1) return;
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < NS_LANES_MAX; k++) ns_history_unref(w->sources[i].histories[k]);
        ns_outside_file_free(w->sources[i].file);
        g_free(w->sources[i].name);
    }
    g_queue_clear_full(&w->messages, g_free);
    pthread_mutex_destroy(&w->mutex);
    g_free(w);
}

/* ---- The thread ---- */

static void publish_messages(NsOutsideWatch *w, Source *source)
{
    char *message;
    while ((message = ns_outside_file_take_message(source->file))) {
        g_queue_push_tail(&w->messages, g_strdup_printf("“%s”: %s", source->name, message));
        g_free(message);
    }
}

/* The mutex is held only briefly: references to histories are passed on, not copies. */
static void publish(NsOutsideWatch *w, Source *source, bool news)
{
    const NsOutside *run = ns_outside_file_run(source->file);
    NsOutsideState state = source->ended                            ? NS_OUTSIDE_CLOSED
                           : ns_outside_file_is_there(source->file) ? NS_OUTSIDE_OPEN
                                                                    : NS_OUTSIDE_ABSENT;
    NS_HELD held = ns_hold(&w->mutex);
    for (size_t k = 0; k < NS_LANES_MAX; k++) {
        NsHistory *history = ns_outside_history(run, k);
        if (history == source->histories[k]) continue;
        ns_history_unref(source->histories[k]);
        source->histories[k] = history ? ns_history_ref(history) : NULL;
        news = true;
    }
    source->lanes = ns_outside_lanes(run);
    guint before = w->messages.length;
    publish_messages(w, source);
    news |= state != source->state || w->messages.length != before;
    source->state = state;
    w->version += news;
}

/* Whether there may be more to read, and the owner or a copy on disk needs it. */
static bool goes_on(const NsOutsideWatch *w, const Source *source)
{
    return !source->ended && (source->saved || !atomic_load(&w->left));
}

static void *follow(void *data)
{
    NsOutsideWatch *w = data;
    bool saves = false, going = true;
    for (size_t i = 0; i < w->n; i++) saves |= w->sources[i].saved;
    for (bool more = false; going;) {
        bool waits = !more;
        more = going = false;
        for (size_t i = 0; i < w->n; i++) {
            Source *source = &w->sources[i];
            if (!goes_on(w, source)) continue;
            going = true;
            NsOutsideNews news =
                ns_outside_file_read(source->file, waits ? LOOK_MILLISECONDS / (int)w->n : 0);
            more |= news == NS_OUTSIDE_MORE;
            source->ended = news == NS_OUTSIDE_ENDED;
            bool paused = news == NS_OUTSIDE_NONE && ns_outside_file_pause(source->file);
            publish(w, source, paused || news == NS_OUTSIDE_MORE);
        }
    }
    watch_unref(w);
    if (saves) count_saving(-1);
    ns_exit_barrier_leave();
    return NULL;
}

/* ---- Life cycle ---- */

static bool open_source(NsOutsideWatch *w, const char *path, const char *save, GError **error)
{
    Source *source = &w->sources[w->n++];
    bool input = g_str_equal(path, "-");
    source->name = input ? g_strdup("standard input") : g_filename_display_basename(path);
    source->file = ns_outside_file_open(path, NS_HISTORY_BUDGET / NS_LANES_MAX, error);
    source->saved = input && save;
    return source->file && (!source->saved || ns_outside_file_save(source->file, save, error));
}

static bool start(NsOutsideWatch *w, GError **error)
{
    bool saves = false;
    for (size_t i = 0; i < w->n; i++) saves |= w->sources[i].saved;
    pthread_t thread;
    ns_exit_barrier_enter();
    if (saves) count_saving(1);
    atomic_fetch_add(&w->holders, 1);
    int failure = ns_thread_start(&thread, follow, w);
    if (failure == 0) {
        pthread_detach(thread);
        return true;
    }
    atomic_fetch_sub(&w->holders, 1);
    if (saves) count_saving(-1);
    ns_exit_barrier_leave();
    return ns_refuse(error, NS_ERROR_MEMORY, "No thread can be started to read the run: %s.",
                     g_strerror(failure));
}

NsOutsideWatch *ns_outside_watch_new(const char *const *paths, size_t n, const char *save,
                                     GError **error)
{
    NsOutsideWatch *w = g_new0(NsOutsideWatch, 1);
    atomic_init(&w->holders, 1);
    pthread_mutex_init(&w->mutex, NULL);
    g_queue_init(&w->messages);
    bool good = true;
    for (size_t i = 0; good && i < n; i++) good = open_source(w, paths[i], save, error);
    if (good && start(w, error)) return w;
    watch_unref(w);
    return NULL;
}

void ns_outside_watch_free(NsOutsideWatch *w)
{
    if (!w) return;
    atomic_store(&w->left, true);
    watch_unref(w);
}

/* ---- What was read ---- */

guint64 ns_outside_watch_version(NsOutsideWatch *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return w->version;
}

size_t ns_outside_watch_lanes(NsOutsideWatch *w, NsOutsideLane lanes[NS_LANES_MAX])
{
    size_t n = 0;
    NS_HELD held = ns_hold(&w->mutex);
    for (size_t i = 0; i < w->n; i++) {
        const Source *source = &w->sources[i];
        size_t of = MAX(source->lanes, 1);
        for (size_t k = 0; k < of && n < NS_LANES_MAX; k++) {
            NsHistory *history = source->histories[k];
            lanes[n++] =
                (NsOutsideLane){history ? ns_history_ref(history) : NULL, i, k, of, source->state};
        }
    }
    return n;
}

void ns_outside_lanes_clear(NsOutsideLane *lanes, size_t n)
{
    for (size_t i = 0; i < n; i++) g_clear_pointer(&lanes[i].history, ns_history_unref);
}

char *ns_outside_watch_take_message(NsOutsideWatch *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return g_queue_pop_head(&w->messages);
}

/* ---- The end of the program ---- */

bool ns_outside_watch_is_saving(void)
{
    NS_HELD held = ns_hold(&saving_mutex);
    return saving > 0;
}

void ns_outside_watch_wait_saved(void)
{
    NS_HELD held = ns_hold(&saving_mutex);
    while (saving > 0) pthread_cond_wait(&saving_over, &saving_mutex);
}
