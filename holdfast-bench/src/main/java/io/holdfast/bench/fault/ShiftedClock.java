package io.holdfast.bench.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wall clock that jumps, for chosen processes only, with libfaketime where it is installed
 * (Debian: {@code libfaketime}). Only the time of day jumps: the monotonic clock goes on, as it
 * would.
 */
final class ShiftedClock {
  private static final String VARIABLE = "HOLDFAST_FAKETIME";
  private static final String NAME = "libfaketimeMT.so.1";
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime"),
          Path.of("/usr/lib64/faketime"),
          Path.of("/usr/lib/faketime"));

  private final Path library;
  private final Path file;

  private ShiftedClock(Path library, Path file) {
    this.library = library;
    this.file = file;
    shift(Duration.ZERO);
  }

  /** One that is right for now, if there is a library for it. */
  static Optional<ShiftedClock> in(Path folder) {
    String given = System.getenv(VARIABLE);
    Stream<Path> candidates =
        given != null && !given.isBlank()
            ? Stream.of(Path.of(given))
            : PLACES.stream().map(place -> place.resolve(NAME));
    return candidates
        .filter(Files::isReadable)
        .findFirst()
        .map(library -> new ShiftedClock(library, folder.resolve("clock")));
  }

  /** What a process has in its environment whose clock this is to be. */
  Map<String, String> environment() {
    Map<String, String> variables = new HashMap<>();
    variables.put("LD_PRELOAD", library.toString());
    variables.put("FAKETIME_TIMESTAMP_FILE", file.toString());
    variables.put("FAKETIME_NO_CACHE", "1");
    variables.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    variables.put("DONT_FAKE_MONOTONIC", "1"); // its name in older versions
    return variables;
  }

  /** How far it is off from now on. */
  void shift(Duration offset) {
    try {
      Path next = file.resolveSibling("clock.next");
      Files.writeString(next, "%+d".formatted(offset.toSeconds()) + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot shift the clock", e);
    }
  }
}
