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
 * The rows of some keys at one moment of the database, and the steps that change them at that
 * moment. Changed rows are written afterwards, all of them or none.
 */
final class Rows {
  /**
   * A waiter that was granted the lock keeps it for 1.5 s without a sign of life. That is longer
   * than the second after which a waiter polls, so that a lost message does not cost its turn.
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
   * @param nowMicros the time of the database, or a lower bound of it
   * @param doubtMicros how much later the time of the database may be
   * @param asOfNanos a reading of our own clock from before that time
   * @param leastTick the least tick of a new grant
   * @param isRead true if the rows were read just now, false if they are as this process wrote them
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

  /** Shortens a lease that may have begun earlier than now, by as much as the time is in doubt. */
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

  /** The step of a key; the same object for every caller. */
  ResourceStep step(Resource resource) {
    ResourceStep step = steps.get(resource.key());
    if (step == null) {
      ResourceStep.Moment moment = new ResourceStep.Moment(nowMicros, nowMicros, leastTick);
      step = new ResourceStep(state(resource), resource, moment, RULES);
      steps.put(resource.key(), step);
    }
    return step;
  }

  /** The present state of a key. */
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

  /** The rows to write, in the order in which every process locks rows. */
  List<Row> changed() {
    return rows.values().stream()
        .filter(Row::isChanged)
        .sorted((a, b) -> a.id.compareTo(b.id))
        .toList();
  }

  /** A signal to an owner, and its resource. */
  record OwnerSignal(Resource resource, StateSignal signal) {}

  /** The signals that the steps have caused. */
  List<OwnerSignal> signals() {
    List<OwnerSignal> all = new ArrayList<>(2);
    steps.forEach(
        (key, step) -> {
          Row row = rows.get(key);
          for (StateSignal signal : step.signals()) {
            if (row != null) {
              all.add(new OwnerSignal(row.resource, signal));
            }
          }
        });
    return all;
  }
}
