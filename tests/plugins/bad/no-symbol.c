/* A shared object that is no plugin.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/api.h>

TRM_API int unrelated(void);

int unrelated(void)
{
    return 42;
}
