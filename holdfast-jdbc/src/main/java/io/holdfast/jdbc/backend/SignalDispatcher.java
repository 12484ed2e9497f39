package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.StateSignal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes signals about owners of this process on to core. They come from a change that this process
 * has made, from a notification, or from a poll of the rows.
 */
final class SignalDispatcher {
  private static final Logger log = LoggerFactory.getLogger(SignalDispatcher.class);

  private final BackendContext context;
  private final Interests interests;
  private final DatabaseClock clock;

  SignalDispatcher(BackendContext context, Interests interests, DatabaseClock clock) {
    this.context = context;
    this.interests = interests;
    this.clock = clock;
  }

  /** Dispatches the signals of a change by this process to its own other owners. */
  void ofOwnChange(Rows rows) {
    for (Rows.OwnerSignal each : rows.signals()) {
      Owner owner = each.signal().owner();
      if (!owner.clientId().equals(context.identity().clientId())) {
        continue;
      }
      if (each.signal() instanceof StateSignal.Granted granted) {
        PushedGrant grant =
            new PushedGrant(
                granted.tokens(), rows.asOfNanos(), granted.leaseMillis(), granted.contended());
        granted(each.resource(), owner, grant);
      } else if (each.signal() instanceof StateSignal.Contended) {
        signals().contended(owner);
      } else if (each.signal() instanceof StateSignal.Lost) {
        lost(owner);
      } else {
        signals().changed(owner);
      }
    }
  }

  /** Dispatches a notification of another process. */
  void received(String payload) {
    Notification.Content content = Notification.read(payload);
    if (content == null) {
      log.warn("ignored a notification of unknown form on the channel of this client");
      return;
    }
    Owner owner = new Owner(context.identity().clientId(), content.tenureId());
    if (content instanceof Notification.Granted granted) {
      received(granted, owner);
    } else if (content instanceof Notification.Contended) {
      signals().contended(owner);
    } else if (content instanceof Notification.Lost) {
      lost(owner);
    } else {
      signals().changed(owner);
    }
  }

  private void received(Notification.Granted granted, Owner owner) {
    Interests.Interest waiting = interests.find(owner);
    if (waiting == null) {
      return; // the waiter gave up: its release is under way, and the grant ends soon anyway
    }
    Long asOf = clock.notLaterThan(granted.atMicros(), context.time().nanoTime());
    if (asOf == null) {
      signals().changed(owner);
      return;
    }
    TokenBlock tokens = TokenBlock.ofTick(granted.tick());
    granted(
        waiting.resource(),
        owner,
        new PushedGrant(tokens, asOf, granted.leaseMillis(), granted.contended()));
  }

  void granted(Resource resource, Owner owner, PushedGrant grant) {
    interests.nowHolding(owner, context.time().nanoTime());
    signals().granted(resource, owner, grant);
  }

  void lost(Owner owner) {
    interests.forget(owner);
    signals().lost(owner);
  }

  BackendSignals signals() {
    return context.signals();
  }
}
