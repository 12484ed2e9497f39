package io.holdfast.internal.local.request;

import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.lease.Hold;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A pursuit that is one acquisition and nothing else. */
public record AcquisitionPursuit(Acquisition acquisition, CompletableFuture<@Nullable Hold> result)
    implements PendingAcquire {
  @Override
  public void timeUp() {
    acquisition.timeUp();
  }

  @Override
  public void abandon() {
    acquisition.abandon();
  }
}
