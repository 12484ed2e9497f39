package io.holdfast.testkit.contract;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/**
 * Tells which contracts an engine does not run. A test in the engine's module makes sure that it is
 * none:
 *
 * <pre>{@code
 * @Test
 * void everyContractIsRunOnThisEngine() {
 *   assertThat(ContractMatrix.missingIn(MyLockContractTest.class)).isEmpty();
 * }
 * }</pre>
 */
public final class ContractMatrix {
  private static final List<Class<?>> ALL =
      List.of(
          ReentrantLockContract.class,
          FairLockContract.class,
          ReadWriteLockContract.class,
          SemaphoreContract.class,
          CountDownLatchContract.class,
          MultiLockContract.class,
          WatchdogContract.class,
          HostileInputContract.class);

  private ContractMatrix() {}

  /** Every contract there is. */
  public static List<Class<?>> all() {
    return ALL;
  }

  /** The contracts without a subclass in the package and place of the given test class. */
  public static List<Class<?>> missingIn(Class<?> test) {
    return missingIn(test, Set.of());
  }

  /**
   * The contracts without a subclass in the package and place of the given test class that a build
   * runs that excludes the given tags.
   */
  public static List<Class<?>> missingIn(Class<?> test, Set<String> excludedTags) {
    List<Class<?>> found = new ArrayList<>();
    for (Class<?> candidate : classesBeside(test)) {
      if (candidate.getSuperclass() != null && isRun(candidate, excludedTags)) {
        found.add(candidate.getSuperclass());
      }
    }
    return ALL.stream().filter(contract -> !found.contains(contract)).toList();
  }

  private static boolean isRun(Class<?> test, Set<String> excludedTags) {
    return Arrays.stream(test.getAnnotationsByType(Tag.class))
        .noneMatch(tag -> excludedTags.contains(tag.value()));
  }

  private static List<Class<?>> classesBeside(Class<?> test) {
    String folder = test.getPackageName().replace('.', '/');
    List<Class<?>> classes = new ArrayList<>();
    try {
      Path root = Path.of(test.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (Stream<Path> files = Files.list(root.resolve(folder))) {
        for (Path file : files.toList()) {
          String name = String.valueOf(file.getFileName());
          if (name.endsWith("Test.class")) {
            String simple = name.substring(0, name.length() - ".class".length());
            classes.add(
                Class.forName(test.getPackageName() + "." + simple, false, test.getClassLoader()));
          }
        }
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new IllegalStateException("cannot look at the classes beside " + test, e);
    }
    return classes;
  }
}
