/* What the separable filters share: their group and constants.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint channels = 1;
layout(constant_id = 4) const uint border = 0;
layout(constant_id = 5) const uint axis = 0;
layout(constant_id = 6) const uint radius_most = 32;
