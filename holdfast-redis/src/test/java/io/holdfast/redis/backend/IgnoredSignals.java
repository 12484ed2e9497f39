package io.holdfast.redis.backend;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;

/** Ignores all signals. */
class IgnoredSignals implements BackendSignals {
  @Override
  public void granted(Resource resource, Owner owner, PushedGrant grant) {}

  @Override
  public void changed(Owner waiter) {}

  @Override
  public void contended(Owner holder) {}

  @Override
  public void lost(Owner holder) {}

  @Override
  public void reconnected() {}
}
