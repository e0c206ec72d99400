/* A target with faults of its own, by which tests/fuzz/driver.sh shows that the driver finds and keeps them:
 * an input that begins with "crash!" fails, one that begins with "hang!" never ends.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input input = {bytes, size};
    char line[16];

    fuzz_take_line(&input, line, sizeof(line));
    if (strncmp(line, "crash!", 6) == 0)
        fuzz_fail("the planted fault was found");
    while (strncmp(line, "hang!", 5) == 0)
        pause();
    return 0;
}
