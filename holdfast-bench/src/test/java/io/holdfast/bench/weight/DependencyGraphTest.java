package io.holdfast.bench.weight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.lock.Library;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DependencyGraphTest {
  private final DependencyGraph graph =
      DependencyGraph.read(
          Stream.of(
              "1 g:root:jar:1",
              "2 g:a:jar:1.0:compile",
              "3 g:shared:jar:2.0:compile (version managed from 1.9)",
              "4 g:b:jar:1.0:compile",
              "5 (g:shared:jar:2.0:compile - version managed from 1.8; omitted for duplicate)",
              "6 g:native:jar:linux-x86_64:3.0:runtime",
              "7 g:shared:pom:1.0:compile",
              "#",
              "1 2 compile",
              "2 3 compile",
              "1 4 compile",
              "4 5 compile",
              "4 6 runtime",
              "4 7 compile"));

  @Test
  void whatSeveralNeedIsFoundFromEach() {
    assertThat(graph.closure(List.of("g:a")))
        .extracting(Artifact::name)
        .containsExactly("a", "shared");
    assertThat(graph.closure(List.of("g:b")))
        .extracting(Artifact::name)
        .containsExactly("b", "shared", "native", "shared");
  }

  @Test
  void aPomIsNotItsJar() {
    assertThat(graph.artifact("g:shared").hasJar()).isTrue();
    assertThat(graph.artifact("g:shared:pom").hasJar()).isFalse();
  }

  @Test
  void classifiersArePartOfTheFileName() {
    assertThat(graph.artifact("g:native:linux-x86_64"))
        .isEqualTo(new Artifact("g", "native", "linux-x86_64", "3.0"));
    assertThat(graph.artifact("g:native:linux-x86_64").isAt("native-3.0-linux-x86_64.jar", ""))
        .isTrue();
  }

  @Test
  void anArtifactThatIsNotThereIsAnError() {
    assertThat(graph.has(List.of("g:a", "g:c"))).isFalse();
    assertThatThrownBy(() -> graph.closure(List.of("g:c"))).hasMessageContaining("g:c");
  }

  @Test
  void everyLibraryOfThisBuildHasItsJarsAndOursBringNoPeerAlong() {
    ClassPath classPath = ClassPath.ofThisJvm();
    for (Library library : Library.values()) {
      if (classPath.has(library.artifacts())) {
        assertThat(classPath.jarsOf(library.artifacts())).isNotEmpty();
      }
    }
    assertThat(classPath.jarsOf(Library.HOLDFAST_REDIS.artifacts()).toString())
        .contains("lettuce-core")
        .doesNotContain("redisson", "spring", "curator", "epoll", "junit");
  }
}
