package io.holdfast.compat;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The jars that Maven chose for a project. */
record ClassPath(List<Path> jars) {
  /** tcnative has versions of its own. */
  private static final Pattern NETTY = Pattern.compile("netty-(?!tcnative).*");

  private static final Map<String, String> NAMED =
      Map.of(
          "spring-boot", "Spring Boot",
          "lettuce-core", "Lettuce",
          "curator-client", "Curator",
          "zookeeper", "ZooKeeper",
          "micrometer-core", "Micrometer",
          "h2", "H2",
          "sqlite-jdbc", "SQLite");

  /** Of what the dependency plugin writes: it also lists POMs, which are in no class path. */
  static ClassPath parse(String text) {
    return new ClassPath(
        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(text.strip())
            .filter(file -> file.endsWith(".jar"))
            .map(Path::of)
            .toList());
  }

  /** What is wrong with it for anybody who gets it; empty if nothing is. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    Set<String> netty = nettyVersions();
    if (netty.size() > 1) {
      faults.add("several versions of Netty: " + netty + " in " + jarsLike(NETTY));
    }
    jars.stream()
        .collect(Collectors.groupingBy(ClassPath::artifact, TreeMap::new, Collectors.toList()))
        .forEach(
            (artifact, versions) -> {
              // the same artifact with another classifier, as of natives, lies in the same folder
              if (versions.stream().map(Path::getParent).distinct().count() > 1) {
                faults.add("several versions of " + artifact + ": " + versions);
              }
            });
    return faults;
  }

  Set<String> nettyVersions() {
    return jars.stream()
        .filter(jar -> NETTY.matcher(artifact(jar)).matches())
        .map(ClassPath::version)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  Set<String> versionsOf(String artifact) {
    return jars.stream()
        .filter(jar -> artifact(jar).equals(artifact))
        .map(ClassPath::version)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The libraries that the matrix is about, with their versions. */
  String summary() {
    List<String> found = new ArrayList<>();
    for (Path jar : jars) {
      String name = NAMED.get(artifact(jar));
      if (name != null) {
        found.add(name + " " + version(jar));
      }
    }
    found.sort(null);
    Set<String> netty = nettyVersions();
    found.add(netty.isEmpty() ? "no Netty" : "Netty " + String.join(" and ", netty));
    return String.join(", ", found);
  }

  boolean has(String artifact) {
    return jars.stream().anyMatch(jar -> artifact(jar).equals(artifact));
  }

  private List<Path> jarsLike(Pattern pattern) {
    return jars.stream()
        .filter(jar -> pattern.matcher(artifact(jar)).matches())
        .map(Path::getFileName)
        .toList();
  }

  /** In a repository a jar lies in artifact/version/. */
  private static String artifact(Path jar) {
    return String.valueOf(jar.getName(jar.getNameCount() - 3));
  }

  private static String version(Path jar) {
    return String.valueOf(jar.getName(jar.getNameCount() - 2));
  }

  @Override
  public String toString() {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
