/* Moves the local time of a program by the seconds in the file $LOCAL_CLOCK, which may change while it runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, now);
    const char *name = getenv("LOCAL_CLOCK");
    FILE *file = id == CLOCK_REALTIME && name ? fopen(name, "re") : NULL;
    if (file) {
        long long ahead = 0;
        if (fscanf(file, "%lld", &ahead) == 1) now->tv_sec += ahead;
        fclose(file);
    }
    return result;
}
