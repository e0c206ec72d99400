/* What the library (program.c) and the supervisor (supervise.c) tell each other.
 *
 * The supervisor is a program of its own. It starts a compiler, ends it with all processes of its process
 * group, and removes its folder, also when the program that uses the library is killed. Only another process
 * can do that, and a process with threads can only start one safely by executing a file.
 *
 *     supervise PARENT SECONDS MEMORY OUTPUT PLACE… -- PROGRAM ARGUMENT…
 *
 * PARENT is the process id of the caller. SECONDS, MEMORY and OUTPUT (bytes) are limits; 0: none. The
 * supervisor makes a folder in the first PLACE that allows it. The program runs in this folder with the
 * supervisor's standard input and outputs. Descriptor 3 is a socket of packets:
 *
 *     supervisor: the folder is made       struct supervise_folder
 *     library:    start the program        one byte
 *     supervisor: the program has ended    struct supervise_end
 *     library:    closes the socket, and the supervisor removes the folder
 *
 * The library may close the socket at any time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_PROGRAM_SUPERVISE_H
#define BASE_PROGRAM_SUPERVISE_H

#include <stdint.h>

#define SUPERVISE_SOCKET 3
#define SUPERVISE_PATH 256 /* bytes of a folder's path with its terminating zero */

struct supervise_folder {
    int32_t error; /* errno of the last place; 0: `path` is the folder */
    char path[SUPERVISE_PATH];
};

enum supervise_how {
    SUPERVISE_ENDED       = 1, /* `detail` is a status of waitpid() */
    SUPERVISE_NOT_STARTED = 2, /* `detail` is an errno */
    SUPERVISE_TIMED_OUT   = 3
};

struct supervise_end {
    int32_t how; /* enum supervise_how */
    int32_t detail;
};

#endif
