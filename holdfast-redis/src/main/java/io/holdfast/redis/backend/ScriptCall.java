package io.holdfast.redis.backend;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandType;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A pending script call. It reports its outcome by a plain call instead of through further futures.
 * The listener may be called twice, if an answer arrives just when the time is up.
 */
final class ScriptCall<T> extends IdentityCommand<T> {
  private final long sentAt;
  private final CallTimeouts timeouts;
  private final BiConsumer<@Nullable T, @Nullable Throwable> listener;

  ScriptCall(
      CommandType type,
      CommandOutput<String, String, T> output,
      ScriptArgs args,
      CallTimeouts timeouts,
      BiConsumer<@Nullable T, @Nullable Throwable> listener) {
    super(type, output, args);
    this.timeouts = timeouts;
    this.sentAt = timeouts.now();
    this.listener = listener;
  }

  long sentAt() {
    return sentAt;
  }

  @Override
  public boolean complete(T value) {
    boolean first = super.complete(value);
    if (first) {
      timeouts.answered(this);
      listener.accept(value, null);
    }
    return first;
  }

  @Override
  protected void completeResult() {
    super.completeResult();
    if (isCompletedExceptionally()) {
      reportFault();
    }
  }

  @Override
  public boolean completeExceptionally(Throwable fault) {
    boolean first = super.completeExceptionally(fault);
    if (first) {
      reportFault();
    }
    return first;
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean first = super.cancel(mayInterrupt);
    if (first) {
      reportFault();
    }
    return first;
  }

  @Override
  public void cancel() {
    cancel(true);
  }

  private void reportFault() {
    timeouts.answered(this);
    whenComplete(
        (value, fault) -> {
          if (fault != null) {
            listener.accept(null, fault);
          }
        });
  }
}
