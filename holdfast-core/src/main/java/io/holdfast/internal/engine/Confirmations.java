package io.holdfast.internal.engine;

import io.holdfast.internal.lease.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Proves in the background what stays in this process from one hold to the next. A hold that
 * follows another without the store cannot know that the lock was deleted there and granted to
 * somebody else, whose token is larger. So the store is asked soon after, and what it does not know
 * any more ends as lost.
 *
 * <pre>
 *   hold 1        hold 2   hold 3               hold 4 lasts
 *   grant = proof    |--------|--------[asks]------|------[asks]------ - -    nothing more to ask
 *                    |<-- INTERVAL -->|   |<-- INTERVAL -->|
 * </pre>
 *
 * <p>A hold that the store granted needs no other proof than that, so a lock that is not handed
 * over costs nothing. One that lingers is proved as long as it does. One task on the scheduler
 * serves all and is planned only while there is something to ask; one question serves as many
 * tenures as the supervisor puts into a batch. The hot path reads one flag.
 *
 * <p>A token is never taken from a tenure whose proof is older than the trust of {@link Tenure},
 * whatever becomes of the questions: that bounds a stale chain while the store is silent.
 */
public final class Confirmations {
  private static final long INTERVAL = Duration.ofMillis(500).toNanos();

  private final Context context;
  private final Supervisor supervisor;
  private final Set<Tenure> unproved = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean planned = new AtomicBoolean();

  Confirmations(Context context, Supervisor supervisor) {
    this.context = context;
    this.supervisor = supervisor;
  }

  /**
   * The token of the next hold. Of a hold that follows another, the store is asked. Guarded by what
   * guards the tokens of the tenure.
   */
  public long takeToken(Tenure tenure) {
    long token = tenure.takeToken();
    if (!tenure.isFirst(token)) {
      watch(tenure);
    }
    return token;
  }

  /** The store is asked about this tenure within an interval. May be called inside a monitor. */
  public void watch(Tenure tenure) {
    if (tenure.wantProof()) {
      unproved.add(tenure);
      plan();
    }
  }

  private void plan() {
    if (planned.compareAndSet(false, true)) {
      context.scheduler().schedule(INTERVAL, this::run);
    }
  }

  private void run() {
    planned.set(false); // before the set is read: what is added from now on plans for itself
    List<Tenure> asked = new ArrayList<>();
    for (Tenure tenure : List.copyOf(unproved)) {
      unproved.remove(tenure); // before the flag: who sets that from now on adds it again
      tenure.proofBegins();
      if (tenure.isLive()) {
        asked.add(tenure);
      }
    }
    if (context.isClosed()) {
      return;
    }
    supervisor.prove(asked, this::watchAgain);
    for (Tenure tenure : asked) {
      if (tenure.handoff().lingers() && tenure.isLive()) {
        watch(tenure);
      }
    }
  }

  private void watchAgain(List<Tenure> unanswered) {
    for (Tenure tenure : unanswered) {
      if (tenure.isLive()) {
        watch(tenure);
      }
    }
  }
}
