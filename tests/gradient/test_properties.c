/* What must hold for every model, whatever its numbers.  In double.  SPDX-License-Identifier: MIT */
#include "tests/gradient/case.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    return g_test_run();
}
