package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.bench.worker.WorkerJvm;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Worker processes, kept per library so that they stay warm. Between its turns a worker has no
 * connection and does nothing.
 */
public final class WorkerPool implements AutoCloseable {
  private final ClassPath classPath;
  private final Map<Library, List<WorkerJvm>> workers = new EnumMap<>(Library.class);
  private final Set<String> known = new HashSet<>();

  /** None yet. */
  public WorkerPool(ClassPath classPath) {
    this.classPath = classPath;
  }

  /** So many workers for the library. */
  List<WorkerJvm> get(Library library, int number) {
    List<WorkerJvm> mine = workers.computeIfAbsent(library, key -> new ArrayList<>());
    while (mine.size() < number) {
      mine.add(WorkerJvm.start(library, classPath));
    }
    return List.copyOf(mine.subList(0, number));
  }

  /** True if the workers have not been asked this before. */
  boolean newTo(String scenario, Subject subject) {
    return known.add(subject.library() + " " + scenario + " " + subject.label());
  }

  /** Ends all workers of a library, because one of them did not do its work. */
  void discard(Library library) {
    known.removeIf(name -> name.startsWith(library + " "));
    Stream.ofNullable(workers.remove(library)).flatMap(List::stream).forEach(WorkerJvm::close);
  }

  /** Ends all but the first of each library: the next scenario may not need them. */
  public void endScenario() {
    workers.values().forEach(mine -> close(mine.subList(Math.min(1, mine.size()), mine.size())));
  }

  @Override
  public void close() {
    workers.values().forEach(WorkerPool::close);
  }

  private static void close(List<WorkerJvm> some) {
    some.forEach(WorkerJvm::close);
    some.clear();
  }
}
