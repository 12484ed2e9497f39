package io.holdfast.internal.observe;

import io.holdfast.Finding;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the watchdog has found lately. The same thing found again and again is one episode: every
 * finding is told, the alert comes once, after as many in a row as it takes. An episode is over
 * when it has not been found for a while.
 */
public final class Findings {
  private record Subject(Finding.Kind kind, String key, String owner, long token, String thread) {}

  private record Episode(Finding last, int times, long until) {}

  private static final int MOST_SHOWN = 1000;

  private final EventBus events;

  /** Guarded by this. */
  private final Map<Subject, Episode> episodes = new LinkedHashMap<>();

  public Findings(EventBus events) {
    this.events = events;
  }

  /**
   * Tells of something that was found.
   *
   * @param threshold how many times in a row make an alert
   * @param duration how long it has lasted, zero if that does not matter
   * @param until when it is over unless it is found again
   */
  public void report(Finding finding, int threshold, Duration duration, long now, long until) {
    int times;
    synchronized (this) {
      Episode before = episodes.get(subjectOf(finding));
      times = before == null || before.until() - now < 0 ? 1 : before.times() + 1;
      episodes.put(subjectOf(finding), new Episode(finding, times, until));
    }
    events.found(finding);
    if (times == (finding.kind().mayPass() ? threshold : 1)) {
      events.alert(finding, duration);
    }
  }

  /** True if it was found before and is not over; then it goes on without being told again. */
  public synchronized boolean goesOn(Finding finding, long now, long until) {
    Episode before = episodes.get(subjectOf(finding));
    if (before == null || before.until() - now < 0) {
      return false;
    }
    episodes.put(subjectOf(finding), new Episode(before.last(), before.times(), until));
    return true;
  }

  private static Subject subjectOf(Finding finding) {
    return new Subject(
        finding.kind(), finding.key(), finding.owner(), finding.token(), finding.thread());
  }

  public synchronized void forgetThoseOver(long now) {
    episodes.values().removeIf(episode -> episode.until() - now < 0);
  }

  public synchronized List<Finding> current() {
    return episodes.values().stream().limit(MOST_SHOWN).map(Episode::last).toList();
  }
}
