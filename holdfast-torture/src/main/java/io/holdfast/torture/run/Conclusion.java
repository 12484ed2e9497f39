package io.holdfast.torture.run;

import io.holdfast.torture.report.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What all engines of a run amount to: an exit code, and for people the names of what is open. */
final class Conclusion {
  static final int NOTHING_VIOLATED = 0;
  static final int VIOLATED = 1;
  static final int NOT_EVERYTHING_TRIED = 3;
  static final int AN_ENGINE_NOT_TRIED = 4;

  private final List<EngineResult> results;

  Conclusion(List<EngineResult> results) {
    this.results = List.copyOf(results);
  }

  /** A violation counts, whatever else could not be tried. */
  int exitCode() {
    if (results.stream().anyMatch(each -> each.violations() > 0)) {
      return VIOLATED;
    }
    if (results.stream().anyMatch(each -> each.operations() == 0)) {
      return AN_ENGINE_NOT_TRIED;
    }
    return untried().isEmpty() ? NOTHING_VIOLATED : NOT_EVERYTHING_TRIED;
  }

  /** One line for each thing that is open, beginning with the label of the engine. */
  List<String> untried() {
    return results.stream()
        .flatMap(
            result ->
                result.open().stream()
                    .map(each -> result.engine().label() + ": " + oneLine(each.toString())))
        .toList();
  }

  /** Says how it ended, and writes what was not tried into the file, which is empty if all was. */
  void tell(Progress progress, long seed, @Nullable Path file) throws IOException {
    untried().forEach(each -> progress.say("NOT TRIED " + each));
    switch (exitCode()) {
      case VIOLATED -> progress.say("VIOLATED; the same again: ./holdfast torture --seed " + seed);
      case NOT_EVERYTHING_TRIED ->
          progress.say("nothing was violated, but not everything could be tried: see NOT TRIED");
      case AN_ENGINE_NOT_TRIED ->
          progress.say("nothing was violated, but an engine did nothing at all: see NOT TRIED");
      default -> progress.say("nothing was violated");
    }
    if (file != null) {
      Files.write(file, untried());
    }
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " | ");
  }
}
