/* Function multiversioning.  SPDX-License-Identifier: MIT
 *
 * A loop marked NS_CLONES is compiled for AVX-512, AVX2 and plain x86-64, and the loader picks one.
 * Sanitizers cannot run the loader's resolvers, and other compilers and machines get one portable
 * version. */
#pragma once

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ &&                                \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define NS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define NS_CLONES
#endif
