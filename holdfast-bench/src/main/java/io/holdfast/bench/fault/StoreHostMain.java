package io.holdfast.bench.fault;

import io.holdfast.bench.worker.Fields;
import io.holdfast.testkit.ParentProcess;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * The main class of a process that hosts a store, so that a clock that is shifted, and a pause,
 * meet the store and nobody else. Each line from its parent is one thing to do, and is answered.
 */
final class StoreHostMain {
  static final String DONE = "DONE ";
  static final String FAILED = "FAILED ";

  private StoreHostMain() {}

  /** Takes the engine and the place for its files. */
  public static void main(String[] args) throws Exception {
    ParentProcess parent = ParentProcess.connect();
    HostedStore store = HostedStores.start(FaultEngine.valueOf(args[0]), Path.of(args[1]));
    parent.tell(DONE + new Fields().with("ports", join(store.ports())));
    while (true) {
      String line = parent.next();
      String answer;
      try {
        answer = DONE + obey(store, line);
      } catch (Exception | LinkageError e) {
        e.printStackTrace();
        answer = FAILED + new Fields().with("why", e);
      }
      parent.tell(answer);
      if (line.equals("close")) {
        System.exit(0);
      }
    }
  }

  private static Fields obey(HostedStore store, String line) throws Exception {
    int space = line.indexOf(' ');
    switch (space < 0 ? line : line.substring(0, space)) {
      case "start" -> store.start();
      case "stop" -> store.stop();
      case "restart" -> {
        long before = System.nanoTime();
        store.stop();
        store.start();
        return new Fields().with("nanos", System.nanoTime() - before);
      }
      case "processes" -> {
        return new Fields().with("ids", join(store.processes()));
      }
      case "delete" -> store.delete(line.substring(space + 1));
      case "stopLeader" -> store.stopLeader();
      case "startFormerLeader" -> store.startFormerLeader();
      case "close" -> store.close();
      default -> throw new IllegalArgumentException("no such thing to do: " + line);
    }
    return new Fields();
  }

  private static String join(java.util.List<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
