/* The version of the library.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/api.h>

#define TEXT_OF(number) #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *trm_version(void)
{
    return VERSION(TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
}
