package io.holdfast.compat;

import io.holdfast.compat.Case.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Runs one case in a JVM of its own. */
final class CaseRun {
  /** For a machine that is ten times slower than it should be. */
  private static final long PATIENCE_MINUTES = 10;

  /** What takes seconds because the machine is busy is no fault. */
  private static final String PATIENT = "?timeout=60s";

  private static final String PATIENT_SESSION =
      "?sessionTimeout=60s&timeout=30s&connectTimeout=60s";

  private static final String DRIVER = "I/O driver: ";

  private final Path folder;
  private final String redis;
  private final String zooKeeper;

  CaseRun(Path folder, String redis, String zooKeeper) {
    this.folder = folder;
    this.redis = redis;
    this.zooKeeper = zooKeeper;
  }

  /** Runs it; what went wrong, or null. */
  @Nullable String start(Case each, ClassPath classPath, Path jdk)
      throws IOException, InterruptedException {
    Path place = folder.resolve(each.name());
    Path log = place.resolve("run.log");
    String classes = System.getProperty("compat.classes", "target/classes");
    if (each.program() == Program.SPRING_APPLICATION) {
      String application = place.resolve("classes").toString();
      if (!compile(classPath + File.pathSeparator + classes, application, log)) {
        return "does not compile, see " + log;
      }
      classes += File.pathSeparator + application;
    }
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin/java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"));
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(place.resolve("tmp")));
    command.addAll(List.of("-cp", classPath + File.pathSeparator + classes));
    command.add(each.program().mainClass);
    command.addAll(urls(classPath, place));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly().waitFor();
      return "does not end, see " + log;
    }
    return process.exitValue() == 0 ? null : whatItSays(log) + " (" + log + ")";
  }

  /** The drivers that Redis had. */
  Set<String> drivers(Case each) throws IOException {
    return Files.readAllLines(folder.resolve(each.name()).resolve("run.log")).stream()
        .filter(line -> line.startsWith(DRIVER))
        .map(line -> line.substring(DRIVER.length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** A URL for each engine that the class path has. */
  private List<String> urls(ClassPath classPath, Path place) throws IOException {
    List<String> urls = new ArrayList<>();
    if (classPath.has("holdfast-redis")) {
      urls.add(redis + PATIENT);
    }
    if (classPath.has("holdfast-zookeeper")) {
      urls.add(zooKeeper + PATIENT_SESSION);
    }
    if (classPath.has("holdfast-jdbc")) {
      urls.add("jdbc:h2:mem:locks");
      Path locks = place.resolve("tmp/locks.db");
      Files.deleteIfExists(locks);
      urls.add("jdbc:sqlite:" + locks);
    }
    if (urls.isEmpty()) {
      urls.add("memory:locks");
    }
    return urls;
  }

  private static boolean compile(String classPath, String classes, Path log) throws IOException {
    Files.createDirectories(Path.of(classes));
    List<String> arguments = new ArrayList<>(List.of("-d", classes, "-cp", classPath));
    Path sources = Path.of(System.getProperty("compat.application", "src/application/java"));
    try (Stream<Path> files = Files.walk(sources);
        var out = Files.newOutputStream(log)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .map(Path::toString)
          .forEach(arguments::add);
      return Objects.requireNonNull(ToolProvider.getSystemJavaCompiler())
              .run(null, out, out, arguments.toArray(String[]::new))
          == 0;
    }
  }

  /** The line that names the cause. */
  private static String whatItSays(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return lines.stream()
        .filter(
            line -> line.matches(".*(Caused by|Exception in thread|[a-z.]+(Error|Exception): ).*"))
        .reduce((first, second) -> second.contains("Caused by") ? second : first)
        .orElse(lines.isEmpty() ? "no output" : lines.get(lines.size() - 1));
  }
}
