/* A common memory limit for the checkpoints of all runs.  SPDX-License-Identifier: MIT
 *
 * While a trainer has a run, the other runs may take half of the limit, and the trainer gets the
 * rest.  Checkpoints of earlier runs that were recorded are the first to be removed from memory:
 * they are read back from the file when such a run is opened again (open_run.c). */
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/pytorch.h"
#include "ui/session/session-private.h"

/* ---- Memory in use ---- */

static NsPastRun *run_at(const NsSession *session, guint i)
{
    return g_ptr_array_index(session->runs, i);
}

static size_t count(NsCheckpoints *checkpoints, GHashTable *seen)
{
    return checkpoints ? ns_checkpoints_count(checkpoints, seen) : 0;
}

/* Bytes of the checkpoints of all runs but the trainer's, and of those that its run begins from. */
static size_t bytes_of_others(const NsSession *session, GHashTable *seen)
{
    size_t bytes = count(session->left, seen);
    if (session->opened) bytes += count(session->opened->recorded->checkpoints, seen);
    for (guint i = 0; i < session->runs->len; i++)
        bytes += count(run_at(session, i)->recorded->checkpoints, seen);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (session->origins[lane] && g_hash_table_add(seen, session->origins[lane]))
            bytes += ns_checkpoint_bytes(session->origins[lane]);
    return bytes;
}

static size_t held(const NsSession *session)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    return bytes_of_others(session, seen);
}

size_t ns_session_checkpoint_bytes(NsSession *session)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    size_t bytes = bytes_of_others(session, seen);
    return session->trainer ? bytes + ns_trainer_count_checkpoints(session->trainer, seen) : bytes;
}

/* ---- The limit ---- */

static bool drop_oldest(NsSession *session, bool recorded)
{
    for (guint i = 0; i < session->runs->len; i++) {
        NsPastRun *run = run_at(session, i);
        if (!run->recorded->checkpoints || !run->recorded->path == recorded) continue;
        /* The checkpoints in memory are freed; those of a recorded run are also in its file. */
        run->kept = ns_past_run_goes_on(run);
        run->in_file = run->recorded->path && run->kept >= 0;
        g_clear_pointer(&run->recorded->checkpoints, ns_checkpoints_free);
        return true;
    }
    return false;
}

static void thin(NsCheckpoints *checkpoints, size_t most)
{
    if (checkpoints) ns_checkpoints_set_budget(checkpoints, most);
}

void ns_session_bound_checkpoints(NsSession *session)
{
    size_t all = session->most_checkpoint_bytes, most = session->trainer ? all / 2 : all;
    thin(session->left, most);
    if (session->opened) thin(session->opened->recorded->checkpoints, most);
    while (held(session) > most && drop_oldest(session, true)) continue;
    while (held(session) > most && drop_oldest(session, false)) continue;
    if (!session->trainer) return;
    size_t others = held(session);
    ns_trainer_set_checkpoint_bytes(session->trainer, others < all ? all - others : 0);
}

void ns_session_set_checkpoint_bytes(NsSession *session, size_t bytes)
{
    session->most_checkpoint_bytes = bytes;
    ns_session_bound_checkpoints(session);
}

/* ---- Checkpoints of a run whose trainer ends ---- */

static size_t bytes_at(const NsSession *session, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    size_t bytes = 0;
    ns_trainer_checkpoints_at(session->trainer, step, checkpoints, NULL);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (checkpoints[lane]) bytes += ns_checkpoint_bytes(checkpoints[lane]);
    ns_session_drop_checkpoints(checkpoints);
    return bytes;
}

/* As many as fit into half of the limit.  NsCheckpoints never drops the first and the newest, so if
 * two are too large, only the newest is added. */
NsCheckpoints *ns_session_copy_checkpoints(NsSession *session)
{
    size_t all = ns_trainer_checkpoints(session->trainer, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, all + 1);
    size_t n = MIN(all, ns_trainer_checkpoints(session->trainer, steps, all));
    size_t largest = n ? bytes_at(session, steps[n - 1]) : 0,
           most = session->most_checkpoint_bytes / 2;
    if (n == 0 || largest > session->most_checkpoint_bytes) return NULL;
    NsCheckpoints *copy = ns_checkpoints_new(session->run->n, most);
    for (size_t i = 2 * largest > most ? n - 1 : 0; i < n; i++) {
        NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
        int64_t at = -1;
        bool found = ns_trainer_checkpoints_at(session->trainer, steps[i], checkpoints, &at);
        if (found && at == steps[i]) ns_checkpoints_add(copy, at, checkpoints);
        ns_session_drop_checkpoints(checkpoints);
    }
    return copy;
}

bool ns_session_save_pytorch(NsSession *session, const char *path, int64_t *step, GError **error)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    NsCheckpoint *own = NULL;
    if (ns_session_checkpoints_at(session, G_MAXINT64, checkpoints, step))
        own = checkpoints[session->active];
    bool written =
        own ? ns_pytorch_write(own, path, error)
            : ns_refuse(error, NS_ERROR_SETTING,
                        N_("This lane has no weights to save; let it train, or pause it."));
    ns_session_drop_checkpoints(checkpoints);
    return written;
}
