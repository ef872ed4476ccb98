/* SPDX-License-Identifier: MIT */
#include "core/base/thread.h"

#include <glib.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICEST 19

int ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, NS_THREAD_STACK);
    int failure = pthread_create(thread, &attributes, work, data);
    pthread_attr_destroy(&attributes);
    return failure;
}

void ns_thread_lower(int niceness)
{
    /* On Linux, setpriority with a thread's id changes only the priority of that thread. */
    id_t self = (id_t)gettid();
    setpriority(PRIO_PROCESS, self, MIN(getpriority(PRIO_PROCESS, self) + niceness, NICEST));
}

pthread_mutex_t *ns_hold(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    return mutex;
}

void ns_let_go(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

void ns_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct timespec ns_condition_time(int64_t us)
{
    return (struct timespec){.tv_sec = us / G_USEC_PER_SEC, .tv_nsec = us % G_USEC_PER_SEC * 1000};
}
