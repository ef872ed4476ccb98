/* SPDX-License-Identifier: MIT */
#include "core/base/exit_barrier.h"

#include "core/base/thread.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gone;
static unsigned inside; /* threads that have not ended */

static void wait_for_all(int status, void *data)
{
    (void)data;
    struct timespec until =
        ns_condition_time(g_get_monotonic_time() + NS_EXIT_BARRIER_MS * G_TIME_SPAN_MILLISECOND);
    int failure = 0;
    pthread_mutex_lock(&mutex);
    while (inside && failure != ETIMEDOUT) failure = pthread_cond_timedwait(&gone, &mutex, &until);
    bool still = inside > 0;
    pthread_mutex_unlock(&mutex);
    if (!still) return;
    fflush(NULL);
    _exit(status);
}

static void prepare(void)
{
    ns_condition_init(&gone);
    on_exit(wait_for_all, NULL);
}

void ns_exit_barrier_enter(void)
{
    pthread_once(&once, prepare);
    NS_HELD held = ns_hold(&mutex);
    inside++;
}

void ns_exit_barrier_leave(void)
{
    NS_HELD held = ns_hold(&mutex);
    if (--inside == 0) pthread_cond_broadcast(&gone);
}
