package io.holdfast.torture.broken;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;

/** Does not tell a holder that its lock was taken away, as a DEL does not. */
record MuteSignals(BackendSignals real) implements BackendSignals {
  @Override
  public void granted(Resource resource, Owner owner, PushedGrant grant) {
    real.granted(resource, owner, grant);
  }

  @Override
  public void changed(Owner waiter) {
    real.changed(waiter);
  }

  @Override
  public void contended(Owner holder) {
    real.contended(holder);
  }

  @Override
  public void lost(Owner holder) {
    // nobody hears of it
  }

  @Override
  public void reconnected() {
    real.reconnected();
  }
}
