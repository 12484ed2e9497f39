package io.holdfast.bench;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Timing;
import io.holdfast.bench.scenario.Scenario;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a run is told.
 *
 * @param timing how long and how often
 * @param folder where the report goes
 * @param only letters of scenarios to run; all if there is none
 * @param who parts of the names of subjects to measure, or whole names after an equals sign; all if
 *     there is none
 * @param delay of the network in each direction, for the second table; none if zero
 * @param micro whether to run the microbenchmarks
 * @param newerJdk a JDK with virtual threads
 * @param page a page whose tables of our engines are replaced, or null
 */
record BenchSettings(
    Timing timing,
    Path folder,
    List<String> only,
    List<String> who,
    Duration delay,
    boolean micro,
    @Nullable Path newerJdk,
    @Nullable Path page) {
  boolean wants(Scenario scenario) {
    return only.isEmpty()
        || only.stream()
            .anyMatch(
                id ->
                    scenario.id().equalsIgnoreCase(id)
                        || scenario.id().matches("(?i)" + id + "\\d+"));
  }

  boolean wants(Subject subject) {
    return wantsName(subject.label());
  }

  boolean wantsName(String given) {
    String label = given.toLowerCase(Locale.ROOT);
    return who.isEmpty()
        || who.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .anyMatch(
                name ->
                    name.startsWith("=") ? label.equals(name.substring(1)) : label.contains(name));
  }
}
