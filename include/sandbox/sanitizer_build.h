/* sanitizer_build.h - whether this program runs with AddressSanitizer or ThreadSanitizer, whose
 * run-time reserves terabytes of addresses, makes system calls of its own and is slow. */
#ifndef SANDBOX_SANITIZER_BUILD_H
#define SANDBOX_SANITIZER_BUILD_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_BUILD 1
#endif
#endif

#ifndef SANITIZER_BUILD
#define SANITIZER_BUILD 0
#endif

#endif
