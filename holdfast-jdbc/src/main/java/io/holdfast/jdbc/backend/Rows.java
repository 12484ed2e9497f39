package io.holdfast.jdbc.backend;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import io.holdfast.spi.state.ResourceStep;
import io.holdfast.spi.state.StateSignal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some keys at one moment of the database, and the steps that are made with them at that moment.
 * What was changed is written afterwards, all of it or nothing.
 */
final class Rows {
  /**
   * How long a waiter that was given the lock has time to be heard of: longer than the second after
   * which waiters look by themselves, so that a lost message does not cost the turn.
   */
  private static final ResourceStep.Rules RULES = new ResourceStep.Rules(1500, owner -> true);

  private final Map<String, Row> rows = new LinkedHashMap<>(4); // by key
  private final Map<String, ResourceStep> steps = new LinkedHashMap<>(4);
  private final long nowMicros;
  private final long doubtMicros;
  private final long asOfNanos;
  private final long leastTick;
  private final boolean isRead;

  /**
   * @param nowMicros the time of the database
   * @param doubtMicros by how much later it may be there
   * @param asOfNanos a reading of our own clock before that
   * @param leastTick ticks are not below this
   * @param isRead true if they were read just now, false if they are what was written before
   */
  Rows(
      Collection<Row> read,
      long nowMicros,
      long doubtMicros,
      long asOfNanos,
      long leastTick,
      boolean isRead) {
    this.isRead = isRead;
    read.forEach(row -> rows.put(row.resource.key(), row));
    this.nowMicros = nowMicros;
    this.doubtMicros = doubtMicros;
    this.asOfNanos = asOfNanos;
    this.leastTick = leastTick;
  }

  boolean isRead() {
    return isRead;
  }

  long nowMicros() {
    return nowMicros;
  }

  /** What a holder can rely on of a lease that begins at a time that may have been earlier. */
  AcquireResult promise(AcquireResult result) {
    if (doubtMicros == 0 || !(result instanceof AcquireResult.Granted granted)) {
      return result;
    }
    long doubtMillis = (doubtMicros + 999) / 1000;
    return new AcquireResult.Granted(
        granted.tokens(), granted.leaseMillis() - doubtMillis, granted.contended());
  }

  long asOfNanos() {
    return asOfNanos;
  }

  /** The step of a key; the same object for all who ask. */
  ResourceStep step(Resource resource) {
    ResourceStep step = steps.get(resource.key());
    if (step == null) {
      ResourceStep.Moment moment = new ResourceStep.Moment(nowMicros, nowMicros, leastTick);
      step = new ResourceStep(state(resource), resource, moment, RULES);
      steps.put(resource.key(), step);
    }
    return step;
  }

  /** The state of a key, as it is. */
  ResourceState state(Resource resource) {
    return row(resource).state();
  }

  /** The row of a key. */
  Row row(Resource resource) {
    Row row = rows.get(resource.key());
    if (row == null) {
      throw new IllegalArgumentException("not read: " + resource);
    }
    return row;
  }

  /** What is to be written, in the order in which rows are locked everywhere. */
  List<Row> changed() {
    return rows.values().stream()
        .filter(Row::isChanged)
        .sorted((a, b) -> a.id.compareTo(b.id))
        .toList();
  }

  /** A signal, and the resource it is about. */
  record SignalDispatcher(Resource resource, StateSignal signal) {}

  /** Whom to tell what. */
  List<SignalDispatcher> news() {
    List<SignalDispatcher> all = new ArrayList<>(2);
    steps.forEach(
        (key, step) -> {
          Row row = rows.get(key);
          for (StateSignal signal : step.signals()) {
            if (row != null) {
              all.add(new SignalDispatcher(row.resource, signal));
            }
          }
        });
    return all;
  }
}
