package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that is a Java module: compiled and run on the module path, with the libraries
 * that Holdfast needs at run time and no others.
 */
@Timeout(600)
class ModulePathTest {
  private static final List<String> LIBRARIES =
      List.of(
          "slf4j-api-",
          "lettuce-core-",
          "redis-authx-core-",
          "netty-",
          "reactor-core-",
          "reactive-streams-");

  private static final String DESCRIPTOR =
      """
      module com.example.consumer {
        requires io.holdfast.core;
        requires io.holdfast.redis;
      }
      """;

  private static final String CONSUMER =
      """
      package com.example.consumer;

      import io.holdfast.DistributedLock;
      import io.holdfast.LockManager;
      import io.holdfast.redis.RedisBackendProvider;

      /** Takes, releases and loses a lock. */
      public final class Consumer {
        private Consumer() {}

        /** The entry point. */
        public static void main(String[] urls) {
          System.out.println(LockManager.class.getModule().getName());
          System.out.println(RedisBackendProvider.class.getModule().getName());
          for (String url : urls) {
            try (LockManager manager = LockManager.create(url)) {
              DistributedLock lock = manager.getLock("module-path");
              lock.lock();
              lock.unlock();
              lock.lock();
              lock.forceUnlock();
              System.out.println(url + (lock.isHeldByCurrentThread() ? " held" : " lost"));
            }
          }
        }
      }
      """;

  private static final String USES_INTERNALS =
      """
      package com.example.consumer;

      import io.holdfast.internal.engine.LockEngine;

      final class UsesInternals {
        Class<?> use() {
          return LockEngine.class;
        }
      }
      """;

  @TempDir Path folder;

  @Test
  void anApplicationThatIsAModuleLocks() throws Exception {
    assertThat(compile("module-info", DESCRIPTOR, "Consumer", CONSUMER)).isEmpty();
    String url = RedisServer.shared().url();
    String caller = patient(url + "?io=caller");
    String netty = patient(url + "?io=netty");

    assertThat(run(List.of(), "memory:", caller, netty))
        .containsExactly(
            "io.holdfast.core",
            "io.holdfast.redis",
            "memory: lost",
            caller + " lost",
            netty + " lost");
  }

  @Test
  void theFlightRecorderHasTheEventsOfAModule() throws Exception {
    assertThat(compile("module-info", DESCRIPTOR, "Consumer", CONSUMER)).isEmpty();
    Path recording = folder.resolve("recording.jfr");

    run(
        List.of("--add-modules", "jdk.jfr", "-XX:StartFlightRecording:filename=" + recording),
        "memory:");

    assertThat(RecordingFile.readAllEvents(recording))
        .extracting(event -> event.getEventType().getName())
        .contains("io.holdfast.Lost");
  }

  @Test
  void internalsAreNotVisible() throws Exception {
    assertThat(compile("module-info", DESCRIPTOR, "UsesInternals", USES_INTERNALS))
        .contains("package io.holdfast.internal.engine is not visible")
        .contains("module io.holdfast.core, which does not export it");
  }

  /** What the compiler says about pairs of a name and a source. */
  private String compile(String... namesAndSources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Path> sources = new ArrayList<>();
    for (int i = 0; i < namesAndSources.length; i += 2) {
      Path source = folder.resolve(namesAndSources[i] + ".java");
      sources.add(Files.writeString(source, namesAndSources[i + 1]));
    }
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
      List<String> options =
          List.of(
              "-Xlint:all",
              "--class-path",
              "", // otherwise that of this process
              "--module-path",
              modulePath(),
              "-d",
              folder.resolve("consumer").toString());
      compiler
          .getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
          .call();
    }
    return said.toString();
  }

  private List<String> run(List<String> options, String... urls) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-p", modulePath() + File.pathSeparator + folder.resolve("consumer")));
    command.addAll(List.of("-m", "com.example.consumer/com.example.consumer.Consumer"));
    command.addAll(List.of(urls));
    Path errors = folder.resolve("errors.txt");
    Path output = folder.resolve("output.txt");
    Process child =
        new ProcessBuilder(command)
            .redirectError(errors.toFile())
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(child.waitFor(5, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(child.exitValue()).as(Files.readString(errors)).isZero();
      return Files.readAllLines(output);
    } finally {
      child.destroyForcibly();
    }
  }

  private static String modulePath() {
    Stream<Path> libraries =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> LIBRARIES.stream().anyMatch(path.getFileName().toString()::startsWith));
    Stream<Path> ours =
        Stream.of(LockManager.class, RedisBackendProvider.class).map(ModulePathTest::placeOf);
    return Stream.concat(ours, libraries)
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path placeOf(Class<?> ours) {
    return Path.of(ours.getProtectionDomain().getCodeSource().getLocation().getPath());
  }
}
