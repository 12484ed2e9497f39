package io.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The body of {@link LockManager#execute}. */
final class LockTemplate {
  private LockTemplate() {}

  static <T extends @Nullable Object, X extends Exception> T execute(
      DistributedLock lock, @Nullable Duration lease, Duration wait, LockBody<T, X> body)
      throws X, InterruptedException {
    boolean locked = lease == null ? lock.tryLock(wait) : lock.tryLock(wait, lease);
    if (!locked) {
      throw new LockTimeoutException(
          "%s; gave up after %d ms".formatted(lock.info(), wait.toMillis()));
    }
    T result;
    try {
      result = body.run();
    } catch (Throwable failure) { // rethrown as it is; what unlock() has to say is added to it
      try {
        lock.unlock();
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
      throw failure;
    }
    lock.unlock();
    return result;
  }
}
