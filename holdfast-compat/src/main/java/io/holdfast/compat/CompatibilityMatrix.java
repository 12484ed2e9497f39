package io.holdfast.compat;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.ZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cases and prints one line for each. Ends with 1 if one fails.
 *
 * <p>Maven resolves them first, all at once. Then each runs in a JVM of its own, with that class
 * path and what belongs to the case, unless another case has run with just that. The servers that
 * consumers lock on run here, so that their libraries are in no class path under test.
 */
public final class CompatibilityMatrix {
  private static final Path FOLDER = Path.of(System.getProperty("compat.folder", "target/cases"));

  /** Contracts mostly wait. */
  private static final int AT_THE_SAME_TIME = 2;

  private static final int NEWER = 25;

  private enum Outcome {
    OK,
    FAILED,
    NOT_RUN
  }

  private record Result(Outcome outcome, String line) {
    static Result of(Case each, Outcome outcome, String more) {
      String what = outcome == Outcome.OK ? "ok" : outcome.toString().replace('_', ' ');
      return new Result(outcome, "%-29s %-8s %s".formatted(each.name(), what, more));
    }
  }

  private record Started(Case first, Future<Result> result) {}

  private final Map<String, ClassPath> classPaths;
  private final Path mavenLog;
  private final CaseRun run;
  private final @Nullable Path newerJdk = newerJdk();

  private CompatibilityMatrix(Map<String, ClassPath> classPaths, Path mavenLog, CaseRun run) {
    this.classPaths = classPaths;
    this.mavenLog = mavenLog;
    this.run = run;
  }

  /** The entry point. */
  public static void main(String[] args) throws Exception {
    String wanted = System.getProperty("compat.cases", ".*");
    List<Case> cases = Cases.all().stream().filter(c -> c.name().matches(wanted)).toList();
    if (cases.isEmpty()) {
      throw new IllegalArgumentException("no case is named like " + wanted);
    }
    Map<String, Project> projects = new LinkedHashMap<>();
    cases.forEach(each -> projects.put(each.name(), each.project()));
    OwnArtifacts.install();
    Maven maven = new Maven(FOLDER);
    Map<String, ClassPath> classPaths = maven.resolve(projects);
    boolean green;
    try (RedisServer redis = RedisServer.builder().start();
        ZooKeeperServer zooKeeper = ZooKeeperServer.start()) {
      CaseRun run = new CaseRun(FOLDER, redis.url(), zooKeeper.url());
      green = new CompatibilityMatrix(classPaths, maven.log(), run).runAll(cases);
    }
    System.exit(green ? 0 : 1);
  }

  /** Runs them side by side and prints them in order. */
  private boolean runAll(List<Case> cases) throws Exception {
    long start = System.nanoTime();
    ExecutorService threads = Executors.newFixedThreadPool(AT_THE_SAME_TIME);
    try {
      Map<List<Object>, Started> first = new HashMap<>();
      List<Future<Result>> results = new ArrayList<>();
      for (Case each : cases) {
        List<Object> what = whatRuns(each);
        Started same = first.get(what);
        Future<Result> result =
            threads.submit(same == null ? () -> check(each) : () -> checkAs(same, each));
        first.putIfAbsent(what, new Started(each, result));
        results.add(result);
      }
      Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
      for (Future<Result> future : results) {
        Result result = future.get();
        counts.merge(result.outcome(), 1, Integer::sum);
        System.out.println(result.line());
      }
      System.out.printf(
          "%-29s %d cases, %d failed, %d not run, %d s%n",
          "compatibility",
          cases.size(),
          counts.getOrDefault(Outcome.FAILED, 0),
          counts.getOrDefault(Outcome.NOT_RUN, 0),
          seconds(start));
      return !counts.containsKey(Outcome.FAILED);
    } finally {
      threads.shutdownNow();
    }
  }

  private Result check(Case each) throws IOException, InterruptedException {
    long start = System.nanoTime();
    ClassPath classPath = classPaths.get(each.name());
    if (classPath == null) {
      return Result.of(each, Outcome.FAILED, "does not resolve, see " + mavenLog);
    }
    Path jdk = jdkOf(each);
    if (jdk == null) {
      return Result.of(each, Outcome.NOT_RUN, "set HOLDFAST_JDK25 to the folder of a JDK 25");
    }
    List<String> faults = new ArrayList<>(classPath.faults());
    faults.addAll(each.expected().faultsOf(classPath));
    String fault = run.start(each, classPath, jdk);
    if (fault != null) {
      faults.add(fault);
    } else {
      faults.addAll(each.expected().faultsOf(run.drivers(each)));
    }
    if (!faults.isEmpty()) {
      String why = String.join("; ", faults);
      return Result.of(each, Outcome.FAILED, classPath.summary() + ": " + why);
    }
    String io = each.expected().io() == null ? "" : ", io=" + each.expected().io();
    String found =
        "%3d s  %s%s, %s".formatted(seconds(start), classPath.summary(), io, release(jdk));
    return Result.of(each, Outcome.OK, found);
  }

  /** For a case of which another one has everything: the same would run once more. */
  private static Result checkAs(Started same, Case each) throws Exception {
    Outcome outcome = same.result.get().outcome();
    return Result.of(each, outcome, "the same in everything as " + same.first.name());
  }

  /** Cases that agree in this run the same program, with the same jars in the same order. */
  private List<Object> whatRuns(Case each) {
    Object jars =
        classPaths.getOrDefault(each.name(), new ClassPath(List.of(Path.of(each.name()))));
    return List.of(jars, each.program(), each.expected(), each.onNewerJdk());
  }

  private @Nullable Path jdkOf(Case each) {
    return each.onNewerJdk() ? newerJdk : Path.of(System.getProperty("java.home"));
  }

  private static long seconds(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toSeconds();
  }

  private static String release(Path jdk) throws IOException {
    return Files.readAllLines(jdk.resolve("release")).stream()
        .filter(line -> line.startsWith("JAVA_VERSION="))
        .map(line -> "Java " + line.substring(line.indexOf('=') + 1).replace("\"", ""))
        .findFirst()
        .orElse("Java of unknown version");
  }

  private static boolean isNewer(Path jdk) {
    try {
      Matcher release = Pattern.compile("Java (\\d+).*").matcher(release(jdk));
      return release.matches()
          && Integer.parseInt(release.group(1)) >= NEWER
          && Files.isExecutable(jdk.resolve("bin/java"));
    } catch (IOException e) {
      return false; // not a JDK
    }
  }

  /** Named by the build, or this one, or one beside it. */
  private static @Nullable Path newerJdk() {
    Path own = Path.of(System.getProperty("java.home"));
    String named = System.getProperty("compat.jdk25", "");
    if (!named.isEmpty() && !named.startsWith("${")) {
      if (!isNewer(Path.of(named))) {
        throw new IllegalArgumentException("HOLDFAST_JDK25=%s is no JDK 25".formatted(named));
      }
      return Path.of(named);
    }
    if (isNewer(own)) {
      return own;
    }
    try (Stream<Path> jdks = Files.list(own.resolveSibling("."))) {
      return jdks.filter(CompatibilityMatrix::isNewer).findFirst().orElse(null);
    } catch (IOException e) {
      return null; // reported case by case
    }
  }
}
