package io.holdfast.torture.nemesis;

import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.torture.client.ClientMain;
import io.holdfast.torture.client.ClientSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client as the nemesis sees it: a process that can be killed and paused, one that takes its
 * place afterwards, the network in front of it, and its wall clock. What the process tells is read
 * by a thread, so that it is never stopped by a full pipe.
 */
public final class Victim implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(3);
  private static final Duration ANSWER = Duration.ofMinutes(5);

  private final int number;
  private final Function<Victim, ClientSettings> settings;
  private final List<FaultyProxy> network;
  private final Optional<JumpingClock> clock;
  private int incarnation;
  private volatile @Nullable ChildJvm process;
  private volatile Map<String, CompletableFuture<Boolean>> told = Map.of();
  private volatile long operations;
  private long operationsBefore;
  private volatile boolean expectedToDie;
  private volatile boolean failed;
  private final List<String> failures = new CopyOnWriteArrayList<>();

  /** One that is not started yet, with a way of its own to each of the servers' ports. */
  public Victim(
      int number,
      List<Integer> serverPorts,
      Optional<JumpingClock> clock,
      Function<Victim, ClientSettings> settings) {
    this.number = number;
    this.settings = settings;
    this.network = serverPorts.stream().map(port -> FaultyProxy.to("127.0.0.1", port)).toList();
    this.clock = clock;
  }

  /** The name of the process that has this place now. */
  public String name() {
    return "c" + number + (incarnation > 1 ? "." + incarnation : "");
  }

  /** What its operations depend on, together with the seed. */
  public String stream() {
    return "c" + number + "." + incarnation;
  }

  /** Where it connects. */
  public List<Integer> ports() {
    return network.stream().map(FaultyProxy::port).toList();
  }

  /** Its wall clock, if that can be set. */
  public Optional<JumpingClock> clock() {
    return clock;
  }

  /** Starts a process. */
  public void start() {
    incarnation++;
    expectedToDie = false;
    failed = false;
    operationsBefore += operations;
    operations = 0;
    ChildJvm.Builder builder =
        ChildJvm.builder(ClientMain.class)
            .jvmArgs(
                "-Xmx96m",
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // it lives for seconds
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off")
            .args(settings.apply(this).arguments().toArray(new String[0]));
    clock.ifPresent(each -> each.environment().forEach(builder::env));
    ChildJvm started = builder.start();
    Map<String, CompletableFuture<Boolean>> answers = new ConcurrentHashMap<>();
    for (String word :
        List.of(ClientMain.READY, ClientMain.STOPPED, ClientMain.PROBED, ClientMain.CLOSED)) {
      answers.put(word, new CompletableFuture<>());
    }
    told = answers;
    process = started;
    Thread reader = new Thread(() -> read(started, answers), "torture-reader-" + name());
    reader.setDaemon(true);
    reader.start();
  }

  private void read(ChildJvm child, Map<String, CompletableFuture<Boolean>> answers) {
    try {
      while (true) {
        String line = child.readLine(ANSWER);
        CompletableFuture<Boolean> answer = answers.get(line);
        if (answer != null) {
          answer.complete(true);
        } else if (line.startsWith(ClientMain.OPS)) {
          operations = Long.parseLong(line.substring(ClientMain.OPS.length()));
        }
      }
    } catch (AssertionError e) { // it has ended
      answers.values().forEach(answer -> answer.completeExceptionally(e));
    }
  }

  /** Waits until it is connected. False is one of its failures. */
  public boolean awaitReady() throws InterruptedException {
    return await(ClientMain.READY, STARTUP);
  }

  /** Waits until it has told that word. False is one of its failures. */
  public boolean await(String word, Duration limit) throws InterruptedException {
    CompletableFuture<Boolean> answer = told.get(word);
    if (answer == null) {
      throw new IllegalStateException("the client was not started, or never tells " + word);
    }
    try {
      return answer.get(limit.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      fail("it ended before " + word + ": " + e.getCause());
    } catch (TimeoutException e) {
      fail("it did not come to %s within %s: %s".formatted(word, limit, errors()));
    }
    return false;
  }

  /** Sends it a command. False, if it cannot be told any more, is one of its failures. */
  public boolean send(String command) {
    try {
      child().send(command);
      return true;
    } catch (AssertionError e) {
      fail("it ended before it was told to " + command + ": " + e.getMessage());
      return false;
    }
  }

  /**
   * What its processes did that no fault asks for: they ended by themselves, or did not do what
   * they were told.
   */
  public List<String> failures() {
    return List.copyOf(failures);
  }

  /** The first failure of a process explains what else it does not do. */
  private synchronized void fail(String what) {
    if (!failed) {
      failed = true;
      failures.add("client " + name() + ": " + what);
    }
  }

  /** How many operations the processes in this place have done. */
  public long operations() {
    return operationsBefore + operations;
  }

  /** True if it has ended and nobody wanted that, which is one of its failures from then on. */
  public boolean diedByItself() {
    ChildJvm child = process;
    if (child == null || expectedToDie || child.isAlive()) {
      return false;
    }
    fail("it ended by itself: " + errors());
    return true;
  }

  /** The process, for tests that end it from outside. */
  ProcessHandle process() {
    return ProcessHandle.of(child().pid()).orElseThrow();
  }

  private String errors() {
    return child().stderr();
  }

  /** SIGKILL. The death of a process that has ended before is not excused by that. */
  public void kill() {
    diedByItself();
    expectedToDie = true;
    child().kill();
  }

  /** SIGSTOP. */
  public void pause() {
    child().pause();
  }

  /** SIGCONT. */
  public void resume() {
    child().resume();
  }

  /** Does something to each of its ways to a server. */
  public void network(Consumer<FaultyProxy> fault) {
    network.forEach(fault);
  }

  private ChildJvm child() {
    ChildJvm child = process;
    if (child == null) {
      throw new IllegalStateException("the client was not started");
    }
    return child;
  }

  @Override
  public void close() {
    ChildJvm child = process;
    if (child != null) {
      expectedToDie = true;
      child.close();
    }
    network.forEach(FaultyProxy::close);
  }
}
