package io.holdfast.torture.nemesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wall clock that can be set while the process that looks at it runs, by libfaketime: the process
 * is started with this environment, and finds in a file by how much its clock is wrong. Its
 * monotonic clock stays right, so that it may write a history. Where the library is missing, jumps
 * of clocks are not run, and the torture says so.
 */
public final class JumpingClock {
  private static final String VARIABLE = "HOLDFAST_FAKETIME";
  private static final List<String> PLACES =
      List.of(
          "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
          "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
          "/usr/lib64/faketime/libfaketimeMT.so.1",
          "/usr/lib/faketime/libfaketimeMT.so.1");

  /** How long a process may go on with the old time before it looks at the file again. */
  public static final Duration NOTICE = Duration.ofSeconds(1);

  private final Path library;
  private final Path file;
  private Duration offset = Duration.ZERO;

  private JumpingClock(Path library, Path file) {
    this.library = library;
    this.file = file;
    set(Duration.ZERO);
  }

  /** Where the library is: named by an environment variable, or as Debian has it. */
  public static Optional<Path> library() {
    String named = System.getenv(VARIABLE);
    Stream<String> places = named == null ? PLACES.stream() : Stream.of(named);
    return places.map(Path::of).filter(Files::isRegularFile).findFirst();
  }

  /** A clock that is right, kept in the given file; empty without the library. */
  public static Optional<JumpingClock> in(Path file) {
    return library().map(found -> new JumpingClock(found, file));
  }

  /** For the process that shall have this clock. */
  public Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD",
        library.toString(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        "FAKETIME_CACHE_DURATION",
        Long.toString(NOTICE.toSeconds()),
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        "DONT_FAKE_MONOTONIC",
        "1",
        // Otherwise waits of the JVM, which count by the monotonic clock, end at once.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }

  /** Makes it jump forward by so much. */
  public synchronized void advance(Duration more) {
    set(offset.plus(more));
  }

  /** Makes it wrong by so much; zero for right. */
  public synchronized void set(Duration offset) {
    this.offset = offset;
    try {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.writeString(next, "%+d\n".formatted(offset.toSeconds()));
      Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot set a clock", e);
    }
  }
}
