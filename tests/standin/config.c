/* How the stand-in is configured.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

#define FILE_BYTES 4096

struct standin_config standin_config = {
    .devices  = 1,
    .workers  = 4,
    .driver   = 13000,
    .memory   = UINT64_C(4) << 30,
    .peers    = true,
    .managed  = true,
    .pools    = true,
    .major    = 9,
    .minor    = 0,
    .delay_ns = 20000,
    .name     = "Stand-in",
};

static bool read_number(const char *text, int least, int most, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < least || value > most)
        return false;
    *number = (int)value;
    return true;
}

static bool read_size(const char *text, uint64_t *size)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    int shift      = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    if (end == text || end[shift != 0] != '\0')
        return false;
    *size = value << shift;
    return true;
}

static bool read_flag(const char *text, bool *flag)
{
    *flag = strcmp(text, "yes") == 0;
    return *flag || strcmp(text, "no") == 0;
}

static bool read_text(const char *text, char *to, size_t capacity)
{
    return (size_t)snprintf(to, capacity, "%s", text) < capacity;
}

static bool read_capability(const char *text)
{
    return sscanf(text, "%d.%d", &standin_config.major, &standin_config.minor) == 2;
}

static bool read_delay(const char *text)
{
    int microseconds;

    if (!read_number(text, 0, 1000000, &microseconds))
        return false;
    standin_config.delay_ns = (uint64_t)microseconds * 1000;
    return true;
}

static bool read_setting(const char *name, const char *value)
{
    struct standin_config *config = &standin_config;

    if (strcmp(name, "devices") == 0)
        return read_number(value, 0, STANDIN_DEVICES_MOST, &config->devices);
    if (strcmp(name, "workers") == 0)
        return read_number(value, 1, 64, &config->workers);
    if (strcmp(name, "driver") == 0)
        return read_number(value, 1000, 99999, &config->driver);
    if (strcmp(name, "memory") == 0)
        return read_size(value, &config->memory);
    if (strcmp(name, "peers") == 0)
        return read_flag(value, &config->peers);
    if (strcmp(name, "managed") == 0)
        return read_flag(value, &config->managed);
    if (strcmp(name, "pools") == 0)
        return read_flag(value, &config->pools);
    if (strcmp(name, "needs_context") == 0)
        return read_flag(value, &config->needs_context);
    if (strcmp(name, "strict") == 0)
        return read_flag(value, &config->strict);
    if (strcmp(name, "name") == 0)
        return read_text(value, config->name, sizeof(config->name));
    if (strcmp(name, "missing") == 0)
        return read_text(value, config->missing, sizeof(config->missing));
    if (strcmp(name, "capability") == 0)
        return read_capability(value);
    if (strcmp(name, "delay") == 0)
        return read_delay(value);
    if (strcmp(name, "fault") == 0)
        return standin_arm(value) == 0;
    if (strcmp(name, "work") == 0)
        return standin_fail_work(value) == 0;
    return false;
}

int standin_configure(const char *text)
{
    char copy[FILE_BYTES], *rest = copy;
    int status = 0;

    if (!read_text(text, copy, sizeof(copy)))
        return -1;
    for (char *word = strtok_r(copy, " \t\r\n", &rest); word != NULL;
         word       = strtok_r(NULL, " \t\r\n", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL) {
            status = -1;
            continue;
        }
        *value = '\0';
        if (!read_setting(word, value + 1))
            status = -1;
    }
    return status;
}

/* The name of the library as it was opened, and ".conf". */
static FILE *open_file(void)
{
    char path[4096];
    Dl_info info;

    if (dladdr((void *)&standin_config, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    if ((size_t)snprintf(path, sizeof(path), "%s.conf", info.dli_fname) >= sizeof(path))
        return NULL;
    return fopen(path, "re");
}

/* When the library is loaded. */
__attribute__((constructor)) static void configure_from_file(void)
{
    char text[FILE_BYTES];
    FILE *file = open_file();

    if (file == NULL)
        return;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    if (standin_configure(text) != 0)
        standin_breach("the configuration beside the library cannot be read");
}

bool standin_is_missing(const char *symbol, const char *name)
{
    const char *names[] = {symbol, name};

    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        for (const char *at = strstr(standin_config.missing, names[i]); at != NULL;
             at             = strstr(at + 1, names[i]))
            if ((at == standin_config.missing || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
                return true;
    }
    return false;
}
