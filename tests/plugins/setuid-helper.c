/* For setuid.sh: prints whether the kernel counts this program as privileged, and the candidates that a
 * context finds.
 *
 * Linked with the inside of the library, because a privileged program does not search the build tree for
 * libtrireme.so.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <sys/auxv.h>
#include <trireme/trireme.h>

int main(void)
{
    struct trm_candidate candidate = {.struct_size = sizeof(candidate)};
    struct trm_context *context;
    uint32_t count = 0;

    printf("secure %lu\n", getauxval(AT_SECURE));
    if (trm_context_create(NULL, &context) != TRM_OK) {
        printf("error %s\n", trm_last_error().sentence);
        return 1;
    }
    (void)trm_context_candidate_count(context, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (trm_context_candidate(context, i, &candidate) == TRM_OK)
            printf("candidate %s %s\n", candidate.accepted ? "accepted" : "refused", candidate.path);
    }
    trm_context_destroy(context);
    return 0;
}
