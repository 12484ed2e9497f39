package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Library;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.bench.worker.WorkerJvm;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Worker processes, kept per library so that they stay warm. Between its turns a worker has no
 * connection and does nothing.
 */
final class WorkerPool implements AutoCloseable {
  private final ClassPath classPath;
  private final Map<Library, List<WorkerJvm>> workers = new EnumMap<>(Library.class);

  WorkerPool(ClassPath classPath) {
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

  /** Ends all workers of a library, because one of them did not do its work. */
  void discard(Library library) {
    Stream.ofNullable(workers.remove(library)).flatMap(List::stream).forEach(WorkerJvm::close);
  }

  /** Ends all but the first of each library. */
  void keepFirst() {
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
