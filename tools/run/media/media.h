/* Trireme: frames in files.
 *
 * format   what a frame consists of
 * reader   reading frames        y4m_file, pnm_file, images and raw implement both for a kind of file;
 * writer   writing frames        y4m and pnm parse and format headers
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_MEDIA_H
#define TRIREME_TOOLS_RUN_MEDIA_MEDIA_H

#include "tools/run/media/format.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"

#endif
