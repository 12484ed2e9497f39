package io.holdfast.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Our artifacts as the cases find them: in a repository below the build folder, beside the local
 * repository of the user, into which nothing of ours is written. They have a version of their own
 * there, so that what somebody installed before never stands in for what this build made.
 */
final class OwnArtifacts {
  /** Their version in the cases. */
  static final String VERSION = "0-compat";

  private static final String PARENT = "holdfast-parent";
  private static final String BUILT = System.getProperty("version.holdfast", "");
  private static final Path ROOT = Path.of(System.getProperty("compat.root", ".."));
  private static final Path FOLDER = Path.of(System.getProperty("compat.folder", "target/cases"));

  private OwnArtifacts() {}

  /** The repository. */
  static Path repository() {
    return FOLDER.resolveSibling("own-artifacts").toAbsolutePath();
  }

  /** Writes the POM of each module, and its jar where the build has made one. */
  static void install() throws IOException {
    install(PARENT, ROOT);
    try (Stream<Path> folders = Files.list(ROOT)) {
      List<Path> modules =
          folders.filter(folder -> Files.exists(folder.resolve("pom.xml"))).toList();
      for (Path module : modules) {
        install(String.valueOf(module.getFileName()), module);
      }
    }
  }

  private static void install(String artifact, Path folder) throws IOException {
    Path place =
        Files.createDirectories(
            repository().resolve("io/holdfast").resolve(artifact).resolve(VERSION));
    String name = artifact + "-" + VERSION;
    String pom = Files.readString(folder.resolve("pom.xml"));
    Files.writeString(
        place.resolve(name + ".pom"), pom.replace(">" + BUILT + "<", ">" + VERSION + "<"));
    Path jar = folder.resolve("target").resolve(artifact + "-" + BUILT + ".jar");
    Path installed = place.resolve(name + ".jar");
    Files.deleteIfExists(installed);
    if (Files.exists(jar)) {
      Files.copy(jar, installed, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
