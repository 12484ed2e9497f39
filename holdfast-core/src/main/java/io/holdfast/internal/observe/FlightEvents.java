package io.holdfast.internal.observe;

import io.holdfast.LockLoss;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Our events for Java Flight Recorder. What happened lies in the past when it is told, and may be
 * told on another thread, so each event is a moment with the duration and the thread as fields.
 * Nothing is made unless {@link FlightRecorder} says that it is wanted.
 */
final class FlightEvents {
  // Never committed: one of each kind to ask whether its kind is being recorded.
  static final Event WAIT = new AcquireWait();
  static final Event LATCH_WAIT = new LatchWait();
  static final Event HOLD = new Held();
  static final Event LOST = new Lost();
  static final Event RECOVERY = new Recovery();

  private FlightEvents() {}

  static void acquired(String engine, Hold hold, String key, long waitedNanos) {
    AcquireWait event = new AcquireWait();
    event.waited = waitedNanos;
    if (event.shouldCommit()) {
      event.of(engine, hold, key);
      event.commit();
    }
  }

  static void passed(String engine, String key, String owner, String thread, long waitedNanos) {
    LatchWait event = new LatchWait();
    event.waited = waitedNanos;
    if (event.shouldCommit()) {
      event.engine = engine;
      event.key = key;
      event.owner = owner;
      event.thread = thread;
      event.commit();
    }
  }

  static void released(String engine, Hold hold, String key, long heldNanos) {
    Held event = new Held();
    event.held = heldNanos;
    if (event.shouldCommit()) {
      event.of(engine, hold, key);
      event.commit();
    }
  }

  static void lost(String engine, Hold hold, LockLoss loss) {
    Lost event = new Lost();
    if (event.shouldCommit()) {
      event.of(engine, hold, loss.key());
      event.held = loss.heldFor().toNanos();
      event.reason = loss.reason().toString();
      event.commit();
    }
  }

  static void recovery(String engine, Tenure tenure, Action action, boolean worked, String detail) {
    Recovery event = new Recovery();
    if (event.shouldCommit()) {
      event.engine = engine;
      event.key = tenure.resource().key();
      event.owner = tenure.owner().toString();
      event.action = action.toString();
      event.worked = worked;
      event.detail = detail;
      event.commit();
    }
  }

  /** What all of them say about a hold. */
  @Category("Holdfast")
  @StackTrace(false)
  abstract static class OfAHold extends Event {
    @Label("Engine")
    @Nullable String engine;

    @Label("Key")
    @Nullable String key;

    @Label("Fencing Token")
    long token;

    @Label("Owner")
    @Nullable String owner;

    @Label("Holding Thread")
    @Nullable String thread;

    void of(String kindOfStore, Hold hold, String lockKey) {
      engine = kindOfStore;
      key = lockKey;
      token = hold.token;
      owner = hold.tenure.owner().toString();
      thread = hold.thread.getName();
    }
  }

  /** Somebody got a lock. */
  @Name("io.holdfast.AcquireWait")
  @Label("Lock Acquired")
  @Description("A hold of a distributed lock began, after a wait")
  static final class AcquireWait extends OfAHold {
    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Longer Than")
    @SettingDefinition
    boolean longerThan(FlightThreshold threshold) {
      return threshold.isExceededBy(waited);
    }
  }

  /** Somebody got past a latch. */
  @Name("io.holdfast.LatchWait")
  @Label("Latch Passed")
  @Description("A wait at a distributed count-down latch ended because it is open")
  @Category("Holdfast")
  @StackTrace(false)
  static final class LatchWait extends Event {
    @Label("Engine")
    @Nullable String engine;

    @Label("Key")
    @Nullable String key;

    @Label("Owner")
    @Nullable String owner;

    @Label("Waiting Thread")
    @Nullable String thread;

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Longer Than")
    @SettingDefinition
    boolean longerThan(FlightThreshold threshold) {
      return threshold.isExceededBy(waited);
    }
  }

  /** Somebody released a lock. */
  @Name("io.holdfast.Hold")
  @Label("Lock Released")
  @Description("A hold of a distributed lock ended as it should")
  static final class Held extends OfAHold {
    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;

    @Label("Longer Than")
    @SettingDefinition
    boolean longerThan(FlightThreshold threshold) {
      return threshold.isExceededBy(held);
    }
  }

  /** A lock was lost while it was held. */
  @Name("io.holdfast.Lost")
  @Label("Lock Lost")
  @Description("A distributed lock was lost while it was held")
  static final class Lost extends OfAHold {
    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;

    @Label("Reason")
    @Nullable String reason;
  }

  /** The watchdog tried to put something right. */
  @Name("io.holdfast.Recovery")
  @Label("Lock Recovery")
  @Description("The watchdog tried to put something right")
  @Category("Holdfast")
  @StackTrace(false)
  static final class Recovery extends Event {
    @Label("Engine")
    @Nullable String engine;

    @Label("Key")
    @Nullable String key;

    @Label("Owner")
    @Nullable String owner;

    @Label("Action")
    @Nullable String action;

    @Label("Worked")
    boolean worked;

    @Label("Detail")
    @Nullable String detail;
  }
}
