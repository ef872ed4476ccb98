/* Threads that may outlive their owner.  SPDX-License-Identifier: MIT
 *
 * When a program ends, libraries take down what a step still works with; so the end of the program
 * waits for every thread that was left to itself. */
#pragma once

/* Before such a thread starts. */
void ns_farewell_begin(void);

/* The last thing that it does. */
void ns_farewell_end(void);
