import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Prints what a green build shows: one line per module with the counts of its test reports, and the totals of the build
 * so far. The build prints nothing else below the level of a warning.
 *
 * <pre>
 *   java TestSummary.java MODULE_FOLDER BUILD_STARTED [FILTER ...]      one line for a module, after its tests
 *   java TestSummary.java --total ROOT_FOLDER BUILD_STARTED [MODULE ...]
 *                                       all reports of the modules below a folder: "N passed, N failed, N skipped"
 * </pre>
 *
 * <p>Reports older than the start of the build are not counted: they belong to an earlier one. It fails if nothing ran
 * where something should have: a module that has tests, unless a filter says which tests to run; anything at all, and
 * each module that is named, for the total. The total also fails if a test did.
 */
public final class TestSummary {
  private static final Pattern SUITE = Pattern.compile("<testsuite [^>]*>", Pattern.DOTALL);

  private record Counts(int tests, int failed, int skipped) {
    static final Counts NONE = new Counts(0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(tests + other.tests, failed + other.failed, skipped + other.skipped);
    }
  }

  public static void main(String[] args) {
    List<String> rest = List.of(args).subList(args[0].equals("--total") ? 3 : 2, args.length);
    if (args[0].equals("--total")) {
      total(Path.of(args[1]), Instant.parse(args[2]), rest);
    } else {
      module(Path.of(args[0]), Instant.parse(args[1]), rest);
    }
  }

  private static void total(Path root, Instant started, List<String> modules) {
    for (String module : modules) {
      if (in(root.resolve(module), started).tests == 0) {
        fail("no test of " + module + " ran");
      }
    }
    Counts all = below(root, started);
    int passed = all.tests - all.failed - all.skipped;
    System.out.printf("%d passed, %d failed, %d skipped%n", passed, all.failed, all.skipped);
    if (all.tests == 0) {
      fail("no test ran");
    }
    if (all.failed > 0) {
      fail(all.failed + " tests failed");
    }
  }

  private static void module(Path module, Instant started, List<String> filters) {
    Counts here = in(module, started);
    if (here.tests > 0) {
      Duration elapsed = Duration.between(started, Instant.now());
      System.out.printf(
          "%-20s %,6d tests, %d failed, %d skipped   (in all %,d after %d:%02d)%n",
          module.getFileName(),
          here.tests,
          here.failed,
          here.skipped,
          below(module.getParent(), started).tests,
          elapsed.toMinutes(),
          elapsed.toSecondsPart());
    } else if (filters.stream().noneMatch(TestSummary::isSet) && Files.exists(module.resolve("src/test/java"))) {
      fail("no test of " + module.getFileName() + " ran, and it has some");
    }
  }

  /** Maven hands on a property that nobody set as it is written in the POM. */
  private static boolean isSet(String property) {
    return !property.isEmpty() && !property.startsWith("${") && !property.equals("false");
  }

  private static void fail(String why) {
    System.err.println("TestSummary: " + why);
    System.exit(1);
  }

  private static Counts below(Path root, Instant since) {
    try (Stream<Path> modules = Files.list(root)) {
      return modules.map(module -> in(module, since)).reduce(Counts.NONE, Counts::plus);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Counts in(Path module, Instant since) {
    Path reports = module.resolve("target/surefire-reports");
    if (!Files.isDirectory(reports)) {
      return Counts.NONE;
    }
    try (Stream<Path> files = Files.list(reports)) {
      List<Path> mine = files.filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml")).toList();
      Counts sum = Counts.NONE;
      for (Path file : mine) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
          sum = sum.plus(of(Files.readString(file)));
        }
      }
      return sum;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Counts of(String report) {
    Matcher suite = SUITE.matcher(report);
    if (!suite.find()) {
      throw new IllegalStateException("a report without a <testsuite>");
    }
    String head = suite.group();
    return new Counts(
        number(head, "tests"), number(head, "failures") + number(head, "errors"), number(head, "skipped"));
  }

  private static int number(String head, String attribute) {
    Matcher value = Pattern.compile(" " + attribute + "=\"(\\d+)\"").matcher(head);
    return value.find() ? Integer.parseInt(value.group(1)) : 0;
  }

  private TestSummary() {}
}
