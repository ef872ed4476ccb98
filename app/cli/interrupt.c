/* Ends the program after a signal.  SPDX-License-Identifier: MIT
 *
 * The main thread holds a lock except during work that cannot be interrupted, such as a step.
 * Usually it sees the signal after that work and ends by itself.  If this takes too long, another
 * thread takes the lock, which stops the main thread at the end of its work, writes the results and
 * ends the program. */
#include "app/cli/cli.h"

#include "core/base/thread.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* How long a step may continue after a signal, in microseconds. */
#define PATIENCE 300000

/* How long writing may take after a signal, in seconds: a reader may have stopped reading. */
#define OUTPUT_SECONDS 5

static volatile sig_atomic_t interrupted;
static sem_t signaled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static NsInterruptFinish *finish_work;
static void *finish_data;

static void interrupt(int signal_)
{
    interrupted = signal_;
    sem_post(&signaled);
}

/* Ends the program if writing takes too long. */
static void give_up(int signal_)
{
    (void)signal_;
    _exit(ns_interrupt_status());
}

static void catch_one(int signal_, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_, &action, NULL);
}

static void *end_in_time(void *data)
{
    (void)data;
    while (sem_wait(&signaled) != 0 && errno == EINTR) {}
    catch_one(SIGALRM, give_up);
    alarm(OUTPUT_SECONDS);
    g_usleep(PATIENCE);
    pthread_mutex_lock(&lock);
    if (finish_work) finish_work(finish_data);
    fflush(NULL);
    _exit(ns_interrupt_status());
}

void ns_interrupt_catch(void)
{
    static bool caught;
    if (caught) return;
    caught = true;
    pthread_t thread;
    sem_init(&signaled, 0, 0);
    pthread_mutex_lock(&lock);
    /* If the thread cannot be created, a signal takes effect after the current step. */
    if (ns_thread_start(&thread, end_in_time, NULL) == 0) pthread_detach(thread);
    catch_one(SIGINT, interrupt);
    catch_one(SIGTERM, interrupt);
}

void ns_interrupt_begin(NsInterruptFinish *finish, void *data)
{
    finish_work = finish;
    finish_data = data;
    pthread_mutex_unlock(&lock);
}

void ns_interrupt_end(void)
{
    pthread_mutex_lock(&lock);
}

int ns_interrupt_signal(void)
{
    return (int)interrupted;
}

int ns_interrupt_status(void)
{
    return interrupted ? NS_EXIT_SIGNAL + (int)interrupted : NS_EXIT_OK;
}
