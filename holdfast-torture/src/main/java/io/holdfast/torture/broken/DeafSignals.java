package io.holdfast.torture.broken;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;

/** Passes nothing on that would wake somebody who waits. */
record DeafSignals(BackendSignals real) implements BackendSignals {
  @Override
  public void granted(Resource resource, Owner owner, PushedGrant grant) {
    // lost
  }

  @Override
  public void changed(Owner waiter) {
    // lost
  }

  @Override
  public void contended(Owner holder) {
    real.contended(holder);
  }

  @Override
  public void lost(Owner holder) {
    real.lost(holder);
  }

  @Override
  public void reconnected() {
    // lost
  }
}
