package io.holdfast.bench.weight;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which artifact needs which others, read from what {@code dependency:tree} wrote during the build
 * in the "trivial graph format": lines of {@code id artifact}, a {@code #}, lines of {@code from to
 * scope}. An artifact that several need is written once in full and elsewhere as "omitted"; here
 * they are one.
 */
public final class DependencyGraph {
  private static final String RESOURCE = "dependencies.tgf";

  private final Map<String, Artifact> artifacts = new LinkedHashMap<>();
  private final Map<String, Set<String>> needs = new LinkedHashMap<>();

  private DependencyGraph() {}

  /** That of this module. */
  public static DependencyGraph ofThisBuild() {
    try (InputStream in = DependencyGraph.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("the build has not written " + RESOURCE);
      }
      return read(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static DependencyGraph read(Stream<String> lines) {
    DependencyGraph graph = new DependencyGraph();
    Map<String, String> identities = new HashMap<>();
    boolean edges = false;
    for (String line : (Iterable<String>) lines::iterator) {
      if (line.equals("#")) {
        edges = true;
      } else if (edges) {
        List<String> words = List.of(line.split(" ", -1));
        graph.addNeed(identities.get(words.get(0)), identities.get(words.get(1)));
      } else {
        int space = line.indexOf(' ');
        String node = line.substring(space + 1);
        Artifact artifact = Artifact.parse(node);
        identities.put(line.substring(0, space), artifact.identity());
        if (!node.contains("omitted for conflict")) {
          graph.artifacts.putIfAbsent(artifact.identity(), artifact);
        }
      }
    }
    return graph;
  }

  private void addNeed(@Nullable String from, @Nullable String to) {
    if (from != null && to != null) {
      needs.computeIfAbsent(from, key -> new LinkedHashSet<>()).add(to);
    }
  }

  /** True if all of these, given as {@code group:artifact}, are there. */
  public boolean has(Collection<String> identities) {
    return artifacts.keySet().containsAll(identities);
  }

  /** The artifact that is named {@code group:artifact}. */
  public Artifact artifact(String identity) {
    Artifact artifact = artifacts.get(identity);
    if (artifact == null) {
      throw new IllegalArgumentException(identity + " is not among the dependencies");
    }
    return artifact;
  }

  /** These artifacts and everything they need. */
  public Set<Artifact> closure(Collection<String> roots) {
    Set<Artifact> reached = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(roots);
    while (!next.isEmpty()) {
      String identity = next.remove();
      if (reached.add(artifact(identity))) {
        next.addAll(needs.getOrDefault(identity, Set.of()));
      }
    }
    return reached;
  }
}
