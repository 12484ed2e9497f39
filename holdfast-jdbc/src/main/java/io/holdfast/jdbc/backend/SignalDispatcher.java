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
 * Passes on to core what this process has learnt about its owners: from a change it made itself,
 * from a letter, or from a look at the rows.
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

  /** What a change of our own means for other owners of this process. */
  void ofOwnChange(Rows rows) {
    for (Rows.SignalDispatcher news : rows.news()) {
      Owner owner = news.signal().owner();
      if (owner.clientId().equals(context.identity().clientId())) {
        if (news.signal() instanceof StateSignal.Granted granted) {
          granted(
              news.resource(),
              owner,
              new PushedGrant(
                  granted.tokens(), rows.asOfNanos(), granted.leaseMillis(), granted.contended()));
        } else if (news.signal() instanceof StateSignal.Contended) {
          signals().contended(owner);
        } else if (news.signal() instanceof StateSignal.Lost) {
          lost(owner);
        } else {
          signals().changed(owner);
        }
      }
    }
  }

  /** A letter has come. */
  void received(String payload) {
    Notification.Content content = Notification.read(payload);
    if (content == null) {
      log.warn("a notification on the channel of this client is not one of ours and was ignored");
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
      return; // given up: its release is under way, and what it was given ends in a moment anyway
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
