package io.holdfast.torture.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Reads the files of a run and merges them by time. */
public final class HistoryReader {
  /** How the files of a run are named. */
  public static final String SUFFIX = ".history";

  private HistoryReader() {}

  /** All files of a directory that end with {@link #SUFFIX}. */
  public static List<HistoryEvent> readDirectory(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return read(files.filter(each -> each.toString().endsWith(SUFFIX)).sorted().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Several files, in the order of time; events of the same time as they stand in the files. */
  public static List<HistoryEvent> read(Collection<Path> files) {
    List<HistoryEvent> events = new ArrayList<>();
    files.forEach(each -> readInto(each, events));
    events.sort(Comparator.comparingLong(HistoryEvent::nanos));
    return events;
  }

  private static void readInto(Path file, List<HistoryEvent> events) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      events.add(HistoryLine.read(text.substring(start, end)));
      start = end + 1;
    }
    // What follows the last line break was torn by a kill: nothing that is complete is lost.
  }

  /** Writes a merged history, for people and for a later look. */
  public static void save(List<HistoryEvent> events, Path file) {
    StringBuilder text = new StringBuilder();
    events.forEach(each -> text.append(HistoryLine.write(each)).append('\n'));
    try {
      Files.writeString(file, text, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
