package io.holdfast.compat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lets a Maven of its own resolve the projects, all in one run. They are modules of one reactor
 * that has nothing to hand down: no parent and no managed versions.
 */
final class Maven {
  private static final String CLASS_PATH = "class-path.txt";
  private static final String GOAL =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath";

  private final Path folder;

  Maven(Path folder) {
    this.folder = folder;
  }

  Path log() {
    return folder.resolve("maven.log");
  }

  /** The class paths by name. A project that does not resolve is missing. */
  Map<String, ClassPath> resolve(Map<String, Project> projects)
      throws IOException, InterruptedException {
    StringBuilder modules = new StringBuilder();
    for (Map.Entry<String, Project> entry : projects.entrySet()) {
      Path project = Files.createDirectories(folder.resolve(entry.getKey()));
      Files.deleteIfExists(project.resolve(CLASS_PATH));
      Files.writeString(project.resolve("pom.xml"), entry.getValue().pom(entry.getKey()));
      modules.append("    <module>").append(entry.getKey()).append("</module>\n");
    }
    Files.writeString(
        folder.resolve("pom.xml"),
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>com.example</groupId><artifactId>cases</artifactId><version>1</version>
          <packaging>pom</packaging>
          <modules>
        %s  </modules>
        </project>
        """
            .formatted(modules));
    run();
    Map<String, ClassPath> resolved = new TreeMap<>();
    for (String name : projects.keySet()) {
      Path classPath = folder.resolve(name).resolve(CLASS_PATH);
      if (Files.exists(classPath)) {
        resolved.put(name, ClassPath.parse(Files.readString(classPath)));
      }
    }
    return resolved;
  }

  private void run() throws IOException, InterruptedException {
    boolean windows = File.separatorChar == '\\';
    List<String> command = new ArrayList<>();
    command.add(Path.of(property("maven.home"), "bin", windows ? "mvn.cmd" : "mvn").toString());
    command.addAll(List.of("-B", "-ntp", "-fae", "-f", folder.resolve("pom.xml").toString()));
    command.add("-Dmaven.repo.local=" + property("maven.repository"));
    command.add("-Dmaven.repo.local.tail=" + OwnArtifacts.repository());
    Path settings = Path.of(property("maven.settings"));
    if (Files.exists(settings)) {
      command.addAll(List.of("-s", settings.toString()));
    }
    if (Boolean.parseBoolean(property("maven.offline"))) {
      command.add("-o");
    }
    command.addAll(List.of(GOAL, "-Dmdep.includeScope=runtime", "-Dmdep.outputFile=" + CLASS_PATH));
    ProcessBuilder maven = new ProcessBuilder(command).redirectErrorStream(true);
    maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
    maven.redirectOutput(log().toFile());
    maven.start().waitFor();
  }

  private static String property(String name) {
    return System.getProperty(name, "");
  }
}
