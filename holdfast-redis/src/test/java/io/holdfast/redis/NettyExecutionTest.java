package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The execution {@code netty-io} of this module's POM lists the classes that run once more.
 * Surefire accepts a pattern that matches no class, and the tests would not run.
 */
class NettyExecutionTest {
  private static final Path SOURCES = Path.of("src/test/java");

  @Test
  void everyPatternNamesAClassInTheDefaultBuildAndInTheFullOne() throws Exception {
    List<Element> executions =
        elements(root(Path.of("pom.xml")), "execution").stream()
            .filter(each -> text(each, "id").equals(List.of("netty-io")))
            .toList();
    assertThat(executions).hasSize(1);
    List<String> patterns = text(executions.get(0), "include");
    assertThat(patterns).contains("**/${test.netty.contracts}", "**/${test.netty.hostile}");
    Element parent = root(Path.of("..", "pom.xml"));
    for (String pattern : patterns) {
      assertThat(resolved(pattern, parent)).isNotEmpty().allMatch(NettyExecutionTest::namesAClass);
    }
  }

  /** Each value that the parent POM has for the property: the default, and those of profiles. */
  private static List<String> resolved(String pattern, Element parent) {
    int start = pattern.indexOf("${");
    if (start < 0) {
      return List.of(pattern);
    }
    String property = pattern.substring(start + 2, pattern.indexOf('}'));
    return text(parent, property).stream()
        .map(value -> pattern.replace("${" + property + "}", value))
        .toList();
  }

  private static boolean namesAClass(String pattern) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern + ".java");
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.map(SOURCES::relativize).anyMatch(matcher::matches);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Element root(Path pom) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(pom.toFile())
        .getDocumentElement();
  }

  private static List<String> text(Element within, String name) {
    return elements(within, name).stream().map(each -> each.getTextContent().strip()).toList();
  }

  private static List<Element> elements(Element within, String name) {
    NodeList found = within.getElementsByTagName(name);
    return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
  }
}
