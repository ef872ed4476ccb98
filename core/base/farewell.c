/* SPDX-License-Identifier: MIT */
#include "core/base/farewell.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gone = PTHREAD_COND_INITIALIZER;
static unsigned there; /* threads that have not ended */

static void wait_for_all(void)
{
    pthread_mutex_lock(&mutex);
    while (there) pthread_cond_wait(&gone, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void wait_at_exit(void)
{
    atexit(wait_for_all);
}

void ns_farewell_begin(void)
{
    pthread_once(&once, wait_at_exit);
    pthread_mutex_lock(&mutex);
    there++;
    pthread_mutex_unlock(&mutex);
}

void ns_farewell_end(void)
{
    pthread_mutex_lock(&mutex);
    if (--there == 0) pthread_cond_broadcast(&gone);
    pthread_mutex_unlock(&mutex);
}
