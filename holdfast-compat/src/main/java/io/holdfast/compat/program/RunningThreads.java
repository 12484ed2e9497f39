package io.holdfast.compat.program;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The threads of this JVM at one time: what was started later has to end. */
public final class RunningThreads {
  /** Belongs to a library, stays for the life of the JVM and keeps no JVM alive. */
  private static final Set<String> STAYS =
      Set.of(
          "Common-Cleaner",
          "H2 Close",
          "globalEventExecutor",
          "process reaper",
          "ForkJoinPool.commonPool",
          "CompletableFutureDelayScheduler");

  /** The group of a server in this JVM, and that of the JVM: neither belongs to a client. */
  private static final Set<String> NOT_OURS = Set.of("system", "server");

  private final Set<Thread> threads;

  private RunningThreads(Set<Thread> threads) {
    this.threads = threads;
  }

  /** Those of now. */
  public static RunningThreads now() {
    return new RunningThreads(Thread.getAllStackTraces().keySet());
  }

  /** Waits until all that were started since have ended. */
  public void awaitEndOfOthers() throws InterruptedException {
    Consumer.await("the end of " + others(), () -> others().isEmpty());
    System.out.println("no thread is left");
  }

  /** Prints {@code I/O driver: caller} or {@code netty}, by the threads of an open connection. */
  static void sayDriver() {
    Set<String> drivers = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      if (name.startsWith("holdfast-redis-io")) {
        drivers.add("caller");
      } else if (name.matches("lettuce-.*EventLoop.*")) {
        drivers.add("netty");
      }
    }
    drivers.forEach(each -> System.out.println("I/O driver: " + each));
  }

  private Set<String> others() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !threads.contains(thread) && thread.isAlive())
        .filter(
            thread ->
                thread.getThreadGroup() != null
                    && !NOT_OURS.contains(thread.getThreadGroup().getName()))
        .map(Thread::getName)
        .filter(name -> STAYS.stream().noneMatch(name::startsWith))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
