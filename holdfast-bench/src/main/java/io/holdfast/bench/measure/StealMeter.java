package io.holdfast.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * CPU time that the host of a virtual machine gave to others while this machine wanted it, from
 * {@code /proc/stat}. Where there is none, nothing is ever stolen.
 */
public final class StealMeter {
  private static final Path STAT = Path.of("/proc/stat");
  private static final int STEAL = 7;

  private final Path file;
  private final Reading begin;

  private record Reading(long stolen, long all) {}

  private StealMeter(Path file) {
    this.file = file;
    this.begin = read(file);
  }

  /** Begins to measure. */
  public static StealMeter start() {
    return start(STAT);
  }

  static StealMeter start(Path file) {
    return new StealMeter(file);
  }

  /** The share of all CPU time since the start that was stolen. */
  public double share() {
    Reading now = read(file);
    long all = now.all - begin.all;
    return all <= 0 ? 0 : (now.stolen - begin.stolen) / (double) all;
  }

  private static Reading read(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      String[] fields = lines.get(0).strip().split("\\s+", -1); // cpu user nice system idle ...
      long all = 0;
      for (int i = 1; i <= Math.min(STEAL + 1, fields.length - 1); i++) {
        all += Long.parseLong(fields[i]);
      }
      long stolen = fields.length > STEAL + 1 ? Long.parseLong(fields[STEAL + 1]) : 0;
      return new Reading(stolen, all);
    } catch (IOException e) {
      return new Reading(0, 0);
    }
  }
}
