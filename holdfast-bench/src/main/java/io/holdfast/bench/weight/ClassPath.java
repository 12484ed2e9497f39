package io.holdfast.bench.weight;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of this JVM's class path that one library needs. Child processes get no more: a library
 * behaves differently when it finds, say, a native transport that came along with a peer.
 */
public final class ClassPath {
  /** What the child needs of ours besides, without anything that these need in turn. */
  private static final List<String> HARNESS =
      List.of(
          "io.holdfast:holdfast-testkit",
          "org.hdrhistogram:HdrHistogram",
          "org.slf4j:slf4j-api",
          "org.slf4j:slf4j-simple");

  private final DependencyGraph graph;
  private final List<Path> entries;

  ClassPath(DependencyGraph graph, List<Path> entries) {
    this.graph = graph;
    this.entries = entries;
  }

  /** That of this JVM. */
  public static ClassPath ofThisJvm() {
    List<Path> entries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of)
            .toList();
    return new ClassPath(DependencyGraph.ofThisBuild(), entries);
  }

  /** True if the artifacts are among the dependencies of this module. */
  public boolean has(Collection<String> artifacts) {
    return graph.has(artifacts);
  }

  /** The version of an artifact. */
  public String version(String artifact) {
    return graph.artifact(artifact).version();
  }

  /** The jars that an application gets which depends on these artifacts. */
  public List<Path> jarsOf(Collection<String> artifacts) {
    return locate(graph.closure(artifacts));
  }

  /** The class path of a child process that uses these artifacts. */
  public String forChild(Collection<String> artifacts) {
    Set<Path> all = new LinkedHashSet<>();
    all.add(own());
    all.addAll(locate(HARNESS.stream().map(graph::artifact).toList()));
    all.addAll(jarsOf(artifacts));
    return all.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /** How large the jars, or folders of classes, are. */
  public static long bytes(Collection<Path> jars) {
    return jars.stream().mapToLong(ClassPath::bytes).sum();
  }

  private List<Path> locate(Collection<Artifact> artifacts) {
    List<Path> found = new ArrayList<>();
    for (Artifact artifact : artifacts.stream().filter(Artifact::hasJar).toList()) {
      entries.stream()
          .filter(entry -> artifact.isAt(String.valueOf(entry.getFileName()), entry.toString()))
          .findFirst()
          .ifPresentOrElse(
              found::add,
              () -> {
                throw new IllegalStateException(artifact + " is not on the class path");
              });
    }
    return found;
  }

  private static long bytes(Path jar) {
    try (Stream<Path> files = Files.walk(jar)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path own() {
    try {
      return Path.of(ClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
