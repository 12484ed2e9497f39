package io.holdfast.redis.backend;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A script call under way. Tells its outcome by a plain call instead of through further futures.
 * The listener may be told twice, should an answer arrive just when the time is up.
 */
final class ScriptCall<T> extends AsyncCommand<String, String, T> {
  private final long sentAt;
  private final CallTimeouts timeouts;
  private final BiConsumer<@Nullable T, @Nullable Throwable> listener;

  ScriptCall(
      CommandType type,
      CommandOutput<String, String, T> output,
      ScriptArgs args,
      CallTimeouts timeouts,
      BiConsumer<@Nullable T, @Nullable Throwable> listener) {
    super(new Command<>(type, output, args));
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
      tellFault();
    }
  }

  @Override
  public boolean completeExceptionally(Throwable fault) {
    boolean first = super.completeExceptionally(fault);
    if (first) {
      tellFault();
    }
    return first;
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean first = super.cancel(mayInterrupt);
    if (first) {
      tellFault();
    }
    return first;
  }

  @Override
  public void cancel() {
    cancel(true);
  }

  private void tellFault() {
    timeouts.answered(this);
    whenComplete(
        (value, fault) -> {
          if (fault != null) {
            listener.accept(null, fault);
          }
        });
  }

  // Each call is itself alone; what it wraps need not be compared.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
