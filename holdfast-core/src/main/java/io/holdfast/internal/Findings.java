package io.holdfast.internal;

import io.holdfast.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the watchdog has found lately. The same thing found again and again is one episode: every
 * finding is told, the alert comes once, after as many in a row as it takes. An episode is over
 * when it has not been found for a while.
 */
final class Findings {
  private record Subject(Finding.Kind kind, String key, String owner, String thread) {}

  private record Episode(Finding last, int times, long lastAt) {}

  private static final int MOST = 1000;

  private final EventBus events;

  /** Guarded by this. */
  private final Map<Subject, Episode> episodes = new LinkedHashMap<>();

  Findings(EventBus events) {
    this.events = events;
  }

  /**
   * Tells of something that was found.
   *
   * @param threshold how many times in a row make an alert
   * @param duration how long it has lasted, zero if that does not matter
   */
  void report(Finding finding, int threshold, Duration duration, long now) {
    Subject subject = new Subject(finding.kind(), finding.key(), finding.owner(), finding.thread());
    int times;
    synchronized (this) {
      Episode before = episodes.get(subject);
      times = before == null ? 1 : before.times() + 1;
      if (before != null || episodes.size() < MOST) {
        episodes.put(subject, new Episode(finding, times, now));
      }
    }
    events.found(finding);
    if (times == (finding.kind().mayPass() ? threshold : 1)) {
      events.alert(finding, duration);
    }
  }

  /** True if it was found before and is not over. */
  synchronized boolean isKnown(Finding.Kind kind, String key, String owner, String thread) {
    return episodes.containsKey(new Subject(kind, key, owner, thread));
  }

  /** Keeps an episode alive without telling of it again. */
  synchronized void still(Finding.Kind kind, String key, String owner, String thread, long now) {
    episodes.computeIfPresent(
        new Subject(kind, key, owner, thread),
        (subject, episode) -> new Episode(episode.last(), episode.times(), now));
  }

  /** Ends the episodes that have not been found since. */
  synchronized void forgetBefore(long then) {
    episodes.values().removeIf(episode -> episode.lastAt() - then < 0);
  }

  synchronized List<Finding> current() {
    List<Finding> all = new ArrayList<>(episodes.size());
    episodes.values().forEach(episode -> all.add(episode.last()));
    return all;
  }
}
