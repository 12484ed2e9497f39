package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Tenure;
import java.time.Duration;
import java.util.List;

/**
 * Is every lock renewed in time? One that is late although renewals are being tried is the store's
 * fault and only reported; one for which nothing has been tried, or whose last try was never
 * answered in any way, has a dead renewal, which is started anew.
 */
final class RenewalCheck {
  private final LockEngine engine;
  private final Context context;
  private final Watchdog watchdog;

  RenewalCheck(LockEngine engine, Watchdog watchdog) {
    this.engine = engine;
    this.context = engine.context();
    this.watchdog = watchdog;
  }

  void look(List<Tenure> tenures, long now) {
    boolean ok = true;
    for (Tenure tenure : tenures) {
      long late = tenure.renewal().lateBy(now);
      if (late > 0 && tenure.isValid(now)) {
        ok = false;
        late(tenure, now);
      }
    }
    if (!tenures.isEmpty()) {
      context.events().checked(Finding.Check.RENEWAL, ok);
    }
  }

  private void late(Tenure tenure, long now) {
    String evidence =
        "last renewed %d ms ago, planned every %d ms; %s; the lease counts for %d ms more"
            .formatted(
                Duration.ofNanos(now - tenure.renewal().confirmedAt()).toMillis(),
                tenure.config().renewalTime().toMillis(),
                tenure.renewal().record(),
                Duration.ofNanos(tenure.remainingNanos(now)).toMillis());
    watchdog.found(Finding.Kind.RENEWAL_LATE, tenure, null, evidence, Duration.ZERO);
    if (tenure.renewal().isDead(now)
        && tenure.config().recoveryStrategy().allows(Action.RESTART_RENEWAL)) {
      engine.renewals().restart(tenure);
    }
  }
}
