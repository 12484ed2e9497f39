package io.holdfast.spi.state;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.TokenBlock;

/** Whom to tell what after a {@link ResourceStep}: the signal of {@link BackendSignals} to send. */
public sealed interface StateSignal {
  /** Who is to be told. */
  Owner owner();

  /**
   * A waiter has become a holder.
   *
   * @param owner the waiter
   * @param tokens the fencing tokens of the grant
   * @param leaseMillis for how long
   * @param contended true when more waiters stand in the queue
   */
  record Granted(Owner owner, TokenBlock tokens, long leaseMillis, boolean contended)
      implements StateSignal {}

  /**
   * A waiter should ask again.
   *
   * @param owner the waiter
   */
  record Changed(Owner owner) implements StateSignal {}

  /**
   * Somebody waits for what the owner holds.
   *
   * @param owner the holder
   */
  record Contended(Owner owner) implements StateSignal {}

  /**
   * What the owner held was taken away.
   *
   * @param owner the former holder
   */
  record Lost(Owner owner) implements StateSignal {}
}
