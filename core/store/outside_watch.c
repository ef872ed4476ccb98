/* SPDX-License-Identifier: MIT */
#include "core/store/outside_watch.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/train/run.h"

#include <stdatomic.h>
#include <string.h>

/* How long one round of all sources waits for new bytes, and so the maximum delay of the end of a
 * watch. */
#define LOOK_MILLISECONDS 100

typedef struct {
    NsRecordedRun *run;
    char *name;                         /* which tells it from the others */
    bool saved;                         /* it is standard input, which is also written to a file */
    NsOutsideState state;               /* as published */
    NsHistory *histories[NS_LANES_MAX]; /* as published: references */
    char *names[NS_LANES_MAX];          /* as published, of one lane at least */
    size_t lanes;                       /* as published */
    size_t replaced;                    /* of the run, as published */
    bool undecided; /* a file with only the beginning took its place: what is published stays */
    NsOutsideReading *reading; /* as published: a reference */
    NsExperiment experiment;   /* as published; n is 0 for a run of another program */
    char *map;                 /* a choice of columns for the thread, or NULL */
} Source;

struct NsOutsideWatch {
    Source sources[NS_LANES_MAX];
    size_t n;
    bool saves;         /* one of them is saved */
    atomic_bool left;   /* its owner has freed it */
    atomic_int holders; /* number of references: the thread and the owner */
    pthread_mutex_t mutex;
    /* Protected by the mutex, like the published fields of the sources. */
    guint64 version, taken;   /* of what was published, and of that when it was last taken */
    GQueue messages, earlier; /* earlier: NsOutsideWatch, of runs that were replaced */
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

static NsOutsideWatch *watch_new(void)
{
    NsOutsideWatch *w = g_new0(NsOutsideWatch, 1);
    atomic_init(&w->holders, 1);
    pthread_mutex_init(&w->mutex, NULL);
    g_queue_init(&w->messages);
    g_queue_init(&w->earlier);
    w->version = 1;
    return w;
}

static void watch_unref(NsOutsideWatch *w)
{
    if (atomic_fetch_sub(&w->holders, 1) > 1) return;
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < NS_LANES_MAX; k++) {
            ns_history_unref(w->sources[i].histories[k]);
            g_free(w->sources[i].names[k]);
        }
        ns_recorded_run_free(w->sources[i].run);
        ns_outside_reading_unref(w->sources[i].reading);
        ns_experiment_clear(&w->sources[i].experiment);
        g_free(w->sources[i].map);
        g_free(w->sources[i].name);
    }
    g_queue_clear_full(&w->messages, g_free);
    g_queue_clear_full(&w->earlier, (GDestroyNotify)ns_outside_watch_free);
    pthread_mutex_destroy(&w->mutex);
    g_free(w);
}

static void set_history(NsHistory **place, NsHistory *history)
{
    if (history) ns_history_ref(history);
    ns_history_unref(*place);
    *place = history;
}

/* ---- A file that was replaced ---- */

/* How much a file has of the run that it had before; of several lanes the largest counts. */
typedef enum {
    COMPLETE,  /* all of it, and maybe more */
    BEGINNING, /* no more than its beginning */
    OTHER,     /* it has another run */
} Relation;

/* A file may have only the newest steps of its run, so it may lack those before its first.  The
 * last record of the old run may have been incomplete, so it may have another value. */
static Relation relate(const NsHistory *old, const NsHistory *new)
{
    size_t n = old ? ns_history_steps(old) : 0, found = 0;
    size_t records = new ? ns_history_steps(new) : 0;
    if (n && !records) return BEGINNING;
    for (size_t i = 0; i < n; i++) {
        const NsStep *a = ns_history_step(old, i);
        int64_t at = ns_history_record(new, a->step);
        if (a->step > ns_history_last_step(new)) return found == records ? BEGINNING : OTHER;
        if (at < 0) continue;
        const NsStep *b = ns_history_step(new, (size_t)at);
        bool same = a->step == b->step;
        found += same;
        if (i + 1 < n && (!same || memcmp(&a->loss, &b->loss, sizeof a->loss) != 0)) return OTHER;
    }
    return found || n < 2 ? COMPLETE : OTHER;
}

/* A watch without a thread, of what is published of a file. */
static NsOutsideWatch *copy_published(const Source *source)
{
    NsOutsideWatch *w = watch_new();
    Source *copy = &w->sources[w->n++];
    copy->run = ns_recorded_run_new(source->run->path);
    copy->state = NS_OUTSIDE_CLOSED;
    copy->lanes = source->lanes;
    for (size_t k = 0; k < NS_LANES_MAX; k++) {
        set_history(&copy->histories[k], source->histories[k]);
        copy->names[k] = g_strdup(source->names[k]);
    }
    return w;
}

/* ---- The thread ---- */

static void publish_lanes(Source *source)
{
    const NsRecordedRun *run = source->run;
    const bool file = !g_str_equal(run->path, "-");
    source->lanes = run->lanes;
    for (size_t k = 0; k < NS_LANES_MAX; k++) {
        set_history(&source->histories[k], run->histories[k]);
        /* "mine", "mine 2", "standard input", or the name of a run in a project. */
        const char *own =
            file && run->log ? ns_outside_lane_name(ns_outside_file_run(run->log), k) : NULL;
        g_free(source->names[k]);
        source->names[k] = file && !own && run->lanes > 1
                               ? g_strdup_printf("%s %zu", source->name, k + 1)
                               : g_strdup(own ? own : source->name);
    }
}

/* The mutex is held only briefly: references to histories are passed on, not copies. */
static void publish(NsOutsideWatch *w, Source *source, bool news)
{
    NsRecordedRun *run = source->run;
    bool undecided = source->undecided || run->replaced > source->replaced;
    Relation relation = undecided && !news ? BEGINNING : COMPLETE;
    for (size_t k = 0; undecided && news && k < NS_LANES_MAX; k++)
        relation = MAX(relation, relate(source->histories[k], run->histories[k]));
    NS_HELD held = ns_hold(&w->mutex);
    if (relation == OTHER) g_queue_push_tail(&w->earlier, copy_published(source));
    source->undecided = relation == BEGINNING;
    source->replaced = run->replaced;
    for (size_t k = 0; !source->undecided && k < NS_LANES_MAX; k++)
        news |= run->histories[k] != source->histories[k];
    if (news && !source->undecided) publish_lanes(source);
    if (run->reading != source->reading) {
        ns_outside_reading_unref(source->reading);
        source->reading = ns_outside_reading_ref(run->reading);
        news = true;
    }
    if (run->experiment.n && !source->experiment.n) {
        ns_experiment_assign(&source->experiment, &run->experiment);
        news = true;
    }
    NsOutsideState state = run->state;
    if (state == NS_OUTSIDE_OPEN && source->undecided) state = NS_OUTSIDE_AGAIN;
    w->version += news || state != source->state || run->messages.length > 0;
    source->state = state;
    for (char *message; (message = g_queue_pop_head(&run->messages));)
        g_queue_push_tail(&w->messages, message);
}

/* Reads a run again with other columns, if that was asked for. */
static bool map_source(NsOutsideWatch *w, Source *source)
{
    g_autofree char *map = NULL;
    {
        NS_HELD held = ns_hold(&w->mutex);
        map = g_steal_pointer(&source->map);
    }
    source->undecided &= !map; /* values of other columns are not compared */
    g_autoptr(GError) error = NULL;
    if (map && !ns_recorded_run_map(source->run, map, &error))
        ns_recorded_run_report(source->run, "%s", error->message);
    if (map && source->run->state == NS_OUTSIDE_CLOSED) ns_recorded_run_end(source->run);
    return map != NULL;
}

/* A pipe that has ended can still be read again, so the thread stays until its owner leaves. */
static void *follow(void *data)
{
    NsOutsideWatch *w = data;
    bool saves = w->saves, going = true;
    for (bool more = false; going || !atomic_load(&w->left);) {
        bool waits = !more;
        more = going = false;
        for (size_t i = 0; i < w->n; i++) {
            Source *source = &w->sources[i];
            bool news = map_source(w, source);
            /* There may be more to read, and the owner or a copy on disk needs it. */
            bool is_read = source->run->state != NS_OUTSIDE_CLOSED &&
                           (source->saved || !atomic_load(&w->left));
            if (is_read)
                news |=
                    ns_recorded_run_poll(source->run, waits ? LOOK_MILLISECONDS / (int)w->n : 0);
            going |= is_read;
            more |= news;
            publish(w, source, news);
        }
        if (going) continue;
        if (saves) count_saving(-1);
        saves = false;
        g_usleep(1000 * LOOK_MILLISECONDS);
    }
    watch_unref(w);
    if (saves) count_saving(-1);
    ns_exit_barrier_leave();
    return NULL;
}

/* ---- Life cycle ---- */

NsOutsideWatch *ns_outside_watch_new(const char *const *paths, size_t n, const char *save,
                                     GError **error)
{
    NsOutsideWatch *w = watch_new();
    g_auto(GStrv) names = ns_recorded_run_names(paths, n, false);
    g_auto(GStrv) files = ns_recorded_run_names(paths, n, true);
    bool good = true;
    for (size_t i = 0; good && i < n; i++) {
        Source *source = &w->sources[w->n++];
        source->name = g_strdup(names[i]);
        source->run = ns_recorded_run_follow(paths[i], NS_HISTORY_BUDGET / NS_LANES_MAX, error);
        if (source->run) {
            g_free(source->run->name);
            source->run->name = g_strdup(files[i]);
        }
        source->saved = g_str_equal(paths[i], "-") && save;
        w->saves |= source->saved;
        good =
            source->run && (!source->saved || ns_outside_file_save(source->run->log, save, error));
        if (good) publish_lanes(source);
    }
    if (!good) {
        watch_unref(w);
        return NULL;
    }
    pthread_t thread;
    ns_exit_barrier_enter();
    if (w->saves) count_saving(1);
    atomic_fetch_add(&w->holders, 1);
    int failure = ns_thread_start(&thread, follow, w);
    if (failure == 0) {
        pthread_detach(thread);
        return w;
    }
    if (w->saves) count_saving(-1);
    ns_exit_barrier_leave();
    ns_refuse(error, NS_ERROR_MEMORY, "No thread can be started to read the run: %s.",
              g_strerror(failure));
    watch_unref(w);
    watch_unref(w); /* of the thread */
    return NULL;
}

void ns_outside_watch_free(NsOutsideWatch *w)
{
    if (!w) return;
    atomic_store(&w->left, true);
    watch_unref(w);
}

/* ---- What was read ---- */

bool ns_outside_watch_update(NsOutsideWatch *w, NsRecordedRun *run, bool *others)
{
    NS_HELD held = ns_hold(&w->mutex);
    if (w->taken == w->version) return false;
    size_t before = run->lanes;
    w->taken = w->version;
    run->lanes = 0;
    run->state = NS_OUTSIDE_ABSENT;
    *others = false;
    for (size_t i = 0; i < w->n; i++) {
        const Source *source = &w->sources[i];
        size_t of = MAX(source->lanes, 1);
        run->state = MAX(run->state, source->state);
        for (size_t k = 0; k < of && run->lanes < NS_LANES_MAX; k++) {
            size_t lane = run->lanes++;
            *others |= run->histories[lane] != source->histories[k];
            set_history(&run->histories[lane], source->histories[k]);
            g_free(run->names[lane]);
            run->names[lane] = g_strdup(source->names[k]);
        }
    }
    *others |= run->lanes != before;
    for (size_t i = run->lanes; i < NS_LANES_MAX; i++) set_history(&run->histories[i], NULL);
    for (char *message; (message = g_queue_pop_head(&w->messages));)
        g_queue_push_tail(&run->messages, message);
    return true;
}

NsOutsideWatch *ns_outside_watch_take_earlier(NsOutsideWatch *w, char **title)
{
    NS_HELD held = ns_hold(&w->mutex);
    NsOutsideWatch *earlier = g_queue_pop_head(&w->earlier);
    if (earlier) *title = g_strdup(earlier->sources[0].run->name);
    return earlier;
}

const NsExperiment *ns_outside_watch_experiment(NsOutsideWatch *w)
{
    NS_HELD held = ns_hold(&w->mutex);
    return w->sources[0].experiment.n ? &w->sources[0].experiment : NULL;
}

NsOutsideReading *ns_outside_watch_reading(NsOutsideWatch *w, size_t i)
{
    NS_HELD held = ns_hold(&w->mutex);
    return ns_outside_reading_ref(w->sources[i].reading);
}

void ns_outside_watch_map(NsOutsideWatch *w, size_t i, const char *map)
{
    NS_HELD held = ns_hold(&w->mutex);
    g_free(w->sources[i].map);
    w->sources[i].map = g_strdup(map);
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
