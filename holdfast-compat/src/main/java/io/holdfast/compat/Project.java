package io.holdfast.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Maven project of its own, which shares nothing with the POMs of this repository. Artifacts are
 * written as in {@code group:artifact:version}; without a version where the platform manages it.
 */
record Project(
    @Nullable String parent,
    List<String> imports,
    List<String> managed,
    List<String> dependencies) {
  /** A project with these direct dependencies, in this order. */
  static Project of(String... dependencies) {
    return new Project(null, List.of(), List.of(), List.of(dependencies));
  }

  /** The same project with one more parent. */
  Project withParent(String pom) {
    return new Project(pom, imports, managed, dependencies);
  }

  /** The same project with one more BOM. */
  Project importing(String bom) {
    return new Project(parent, plus(imports, bom), managed, dependencies);
  }

  /** The same project with one more managed version. */
  Project managing(String artifact) {
    return new Project(parent, imports, plus(managed, artifact), dependencies);
  }

  private static List<String> plus(List<String> list, String more) {
    List<String> longer = new ArrayList<>(list);
    longer.add(more);
    return List.copyOf(longer);
  }

  /** The POM. */
  String pom(String name) {
    StringBuilder pom =
        new StringBuilder("<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n");
    pom.append("  <modelVersion>4.0.0</modelVersion>\n");
    if (parent != null) {
      pom.append("  <parent>").append(coordinates(parent)).append("<relativePath/></parent>\n");
    }
    pom.append("  <groupId>com.example</groupId><artifactId>").append(name);
    pom.append("</artifactId><version>1</version>\n  <dependencyManagement><dependencies>\n");
    imports.forEach(bom -> pom.append(dependency(bom, "<type>pom</type><scope>import</scope>")));
    managed.forEach(artifact -> pom.append(dependency(artifact, "")));
    pom.append("  </dependencies></dependencyManagement>\n  <dependencies>\n");
    dependencies.forEach(artifact -> pom.append(dependency(artifact, exclusionsOf(artifact))));
    return pom.append("  </dependencies>\n</project>\n").toString();
  }

  /**
   * The test server of Curator is for the tests of a case; what else it brings would hide things.
   */
  private static String exclusionsOf(String artifact) {
    if (!artifact.startsWith("org.apache.curator:curator-test:")) {
      return "";
    }
    return "<exclusions>"
        + exclusion("io.netty")
        + exclusion("org.junit.jupiter")
        + "</exclusions>";
  }

  private static String exclusion(String group) {
    return "<exclusion><groupId>" + group + "</groupId><artifactId>*</artifactId></exclusion>";
  }

  private static String dependency(String artifact, String more) {
    return "    <dependency>" + coordinates(artifact) + more + "</dependency>\n";
  }

  private static String coordinates(String artifact) {
    List<String> parts = List.of(artifact.split(":"));
    String version = parts.size() > 2 ? "<version>" + parts.get(2) + "</version>" : "";
    String group = Objects.requireNonNull(parts.get(0));
    return "<groupId>"
        + group
        + "</groupId><artifactId>"
        + parts.get(1)
        + "</artifactId>"
        + version;
  }
}
