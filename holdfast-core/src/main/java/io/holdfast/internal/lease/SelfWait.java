package io.holdfast.internal.lease;

import io.holdfast.spi.Resource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that has a lock by a handle and waits for the same lock: {@code acquire()} followed by
 * {@code lock()} or {@code acquire()}. A handle is not reentrant, so the thread waits for itself.
 * This cannot be refused, since another thread may have got the handle and close it; so it is said
 * at once, once for each handle, and again by whoever reports that the wait was long.
 */
public final class SelfWait {
  private static final Logger log = LoggerFactory.getLogger("io.holdfast.lock");

  private SelfWait() {}

  /** Says so, if the calling thread is about to wait for this hold of its own. */
  public static void warn(Resource resource, @Nullable Hold held) {
    Thread thread = Thread.currentThread();
    if (held != null && held.isHandleOf(thread) && held.takeSelfWait()) {
      log.warn("{}: {}", resource, text(thread, held));
    }
  }

  /** What to say if the calling thread waits for this hold of its own; else null. */
  public static @Nullable String textOrNull(@Nullable Hold held) {
    Thread thread = Thread.currentThread();
    return held != null && held.isHandleOf(thread) ? text(thread, held) : null;
  }

  /** For a wait of this thread for this hold. */
  public static String text(Thread thread, Hold held) {
    return ("thread '%s' waits for what it holds itself by a lease (token %d): a lease is not"
            + " reentrant; close it first, or use lock() or run() for both, unless another thread"
            + " closes the lease")
        .formatted(thread.getName(), held.token);
  }
}
