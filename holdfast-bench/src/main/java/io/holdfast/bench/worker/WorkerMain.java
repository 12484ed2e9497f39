package io.holdfast.bench.worker;

import io.holdfast.bench.lock.ClientSettings;
import io.holdfast.bench.lock.Clients;
import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.LockClient;
import io.holdfast.bench.lock.LockKind;
import io.holdfast.testkit.ParentProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The main class of a worker process. Each line from its parent is a task with its fields, and is
 * answered with one line: what came of it, or what went wrong.
 */
final class WorkerMain {
  static final String DONE = "DONE ";
  static final String FAILED = "FAILED ";

  private final List<LockClient> clients = new ArrayList<>();
  private final Map<String, Task> tasks;

  private WorkerMain() {
    HoldTask hold = new HoldTask();
    this.tasks =
        Map.of(
            "open",
            this::open,
            "close",
            this::close,
            "load",
            new LoadTask(),
            "handover",
            new HandoverTask(),
            "hold",
            hold::take,
            "keep",
            hold::keep,
            "giveBack",
            hold::giveBack,
            "heap",
            new HeapTask(),
            "virtual",
            new VirtualThreadsTask(),
            "statements",
            new StatementsTask());
  }

  /** Takes nothing: everything is told line by line. */
  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    WorkerMain worker = new WorkerMain();
    while (true) {
      String line = parent.next();
      String answer;
      try {
        answer = DONE + worker.run(line);
      } catch (Throwable e) {
        e.printStackTrace();
        Throwable cause = e;
        while (cause.getCause() != null) {
          cause = cause.getCause();
        }
        answer = FAILED + new Fields().with("why", e + (cause == e ? "" : " because " + cause));
      }
      parent.tell(answer);
    }
  }

  private Fields run(String line) throws Exception {
    int space = line.indexOf(' ');
    String name = space < 0 ? line : line.substring(0, space);
    Task task = tasks.get(name);
    if (task == null) {
      throw new IllegalArgumentException("no such task: " + line);
    }
    return task.run(clients, Fields.parse(line));
  }

  private Fields open(List<LockClient> clients, Fields order) {
    long lease = order.number("leaseMillis");
    ClientSettings settings =
        new ClientSettings(
            order.text("url"),
            LockKind.valueOf(order.text("kind")),
            lease == 0 ? null : Duration.ofMillis(lease));
    for (int i = 0; i < order.number("clients"); i++) {
      clients.add(Clients.connect(Library.valueOf(order.text("library")), settings));
    }
    return new Fields().with("clients", clients.size());
  }

  private Fields close(List<LockClient> clients, Fields order) {
    clients.forEach(LockClient::close);
    clients.clear();
    return new Fields().with("clients", 0);
  }
}
