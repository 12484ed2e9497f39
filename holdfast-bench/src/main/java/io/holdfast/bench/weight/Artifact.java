package io.holdfast.bench.weight;

import org.jspecify.annotations.Nullable;

/**
 * A jar in a Maven repository, or a POM that only names others.
 *
 * @param group the group id
 * @param name the artifact id
 * @param classifier what tells it from others of the same name: Maven's classifier, {@code pom} for
 *     one without a jar, or empty
 * @param version the version
 */
public record Artifact(String group, String name, String classifier, String version) {
  private static final String POM = "pom";

  /**
   * Reads one out of a line of Maven's dependency tree, for instance {@code g:a:jar:1.0:compile} or
   * {@code (g:a:jar:1.0:compile - omitted for duplicate)}.
   */
  static Artifact parse(String text) {
    String coordinates = text.startsWith("(") ? text.substring(1) : text;
    int end = coordinates.indexOf(' ');
    String[] parts = (end < 0 ? coordinates : coordinates.substring(0, end)).split(":", -1);
    return switch (parts.length) {
      case 4, 5 -> new Artifact(parts[0], parts[1], parts[2].equals(POM) ? POM : "", parts[3]);
      case 6 -> new Artifact(parts[0], parts[1], parts[3], parts[4]);
      default -> throw new IllegalArgumentException("not an artifact: " + text);
    };
  }

  /** What it is, whatever the version. */
  String identity() {
    return group + ":" + name + (classifier.isEmpty() ? "" : ":" + classifier);
  }

  boolean hasJar() {
    return !classifier.equals(POM);
  }

  /** The name of its file in a repository, and of the file or folder in a build. */
  boolean isAt(@Nullable String file, String path) {
    String plain = name + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier) + ".jar";
    return plain.equals(file)
        || isInBuild(path, "/target")
        || isInBuild(path, "/target/quick"); // where the launcher builds
  }

  private boolean isInBuild(String path, String folder) {
    String build = "/" + name + folder;
    return path.endsWith(build + "/classes") || path.endsWith(build + "/" + name + ".jar");
  }
}
