/* Threads that may outlive their owner.  SPDX-License-Identifier: MIT
 *
 * When a program ends, libraries take down what a step still works with.  So the end of the program
 * waits for every thread that was left to itself, but only for a moment: where one is still in a
 * step then, files are written out and the process ends with its status as it is, without taking
 * anything down. */
#pragma once

/* How long the end of the program waits, in milliseconds. */
#define NS_EXIT_BARRIER_MS 250

/* Before such a thread starts. */
void ns_exit_barrier_enter(void);

/* The last thing that it does. */
void ns_exit_barrier_leave(void);
