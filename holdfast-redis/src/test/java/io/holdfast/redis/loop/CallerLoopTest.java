package io.holdfast.redis.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The loop alone, with a server that echoes every byte, and sends one byte on request. */
@Isolated
@Timeout(300)
class CallerLoopTest {
  private static final long FOREVER = Long.MAX_VALUE;

  private final CallerLoop loop = new CallerLoop("loop under test");
  private final Queue<CompletableFuture<Thread>> unanswered = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable CompletableFuture<Thread>> message =
      new AtomicReference<>();
  private EchoServer server;
  private Channel channel;

  @BeforeEach
  void connect() throws Exception {
    server = new EchoServer();
    channel = open();
  }

  @AfterEach
  void close() throws Exception {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void aFrequentCallerReadsItsOwnAnswers() throws Exception {
    int own = 0;
    while (own < 100) { // soon, or never
      if (call() == Thread.currentThread()) {
        own++;
      }
    }
  }

  @Test
  void theLoopThreadServesAnOccasionalCaller() throws Exception {
    int served = 0;
    while (served < 20) {
      if (call().getName().equals("loop under test")) {
        served++;
      }
      Thread.sleep(5);
    }
  }

  @Test
  void aPatientCallerReadsItsOwnAnswer() throws Exception {
    CompletableFuture<Thread> sent = new CompletableFuture<>();
    message.set(sent);
    Thread waiting = Thread.currentThread();
    CompletableFuture<Void> later =
        CompletableFuture.runAsync(
            () -> {
              awaitAtTheSockets(waiting);
              server.sendMessage();
            });
    loop.await(sent, FOREVER);
    assertThat(sent.get(60, TimeUnit.SECONDS)).isSameAs(Thread.currentThread());
    later.join();
  }

  @Test
  void aMessageIsReadSoonAlthoughNobodyWaits() throws Exception {
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 20; i++) {
        call();
      }
      CompletableFuture<Thread> sent = new CompletableFuture<>();
      message.set(sent);
      server.sendMessage();
      sent.get(60, TimeUnit.SECONDS); // nothing reads the message unless the loop thread comes back
    }
  }

  @Test
  void aLookReadsAMessageWhileTheWatchIsFree() throws Exception {
    CompletableFuture<Thread> never = new CompletableFuture<>();
    Thread hearer;
    do { // until the look is quicker than the loop thread
      for (int i = 0; i < 20; i++) {
        call();
      }
      CompletableFuture<Thread> sent = new CompletableFuture<>();
      message.set(sent);
      server.sendMessage();
      while (!sent.isDone()) {
        loop.await(never, 0);
      }
      hearer = sent.get();
    } while (hearer != Thread.currentThread());
  }

  @Test
  void aCallerWithTwoRequestsIsServedEvenIfTheSecondTakesLong() throws Exception {
    for (int round = 0; round < 30; round++) {
      for (int i = 0; i < 20; i++) {
        send(); // not waited for
        call();
      }
      CompletableFuture<Thread> sent = new CompletableFuture<>();
      message.set(sent);
      send();
      send();
      CompletableFuture<Void> later = CompletableFuture.runAsync(server::sendMessage, after(5));
      loop.await(sent, FOREVER);
      sent.get(60, TimeUnit.SECONDS);
      later.join();
    }
  }

  @Test
  void callersWithTwoRequestsEachAreServedTogether() throws Exception {
    inThreads(
        4,
        number -> {
          for (int i = 0; i < 2_000; i++) {
            send();
            call();
          }
        });
  }

  @Test
  void manyThreadsAreServedAndOneAtATimeIsTheLoop() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicBoolean two = new AtomicBoolean();
    Set<Thread> seen = ConcurrentHashMap.newKeySet();
    inThreads(
        8,
        number -> {
          for (int i = 0; i < 2_000; i++) {
            CompletableFuture<Thread> answer = send();
            loop.execute(
                () -> {
                  if (inside.incrementAndGet() != 1 || !loop.inEventLoop()) {
                    two.set(true);
                  }
                  inside.decrementAndGet();
                });
            loop.await(answer, FOREVER);
            seen.add(answer.get(60, TimeUnit.SECONDS));
            if (i % 100 == number) {
              Thread.sleep(2); // sometimes alone, sometimes together
            }
          }
        });
    assertThat(two).isFalse();
    assertThat(unanswered).isEmpty();
    assertThat(seen).isNotEmpty();
  }

  @Test
  void callersBesideAPatientOneAreServed() throws Exception {
    CompletableFuture<Thread> sent = new CompletableFuture<>();
    message.set(sent);
    Thread patient = new Thread(() -> awaitQuietly(sent));
    patient.start();
    awaitAtTheSockets(patient);
    inThreads(3, number -> callTimes(500));
    server.sendMessage();
    patient.join(60_000);
    assertThat(sent).isDone();
    assertThat(patient.isAlive()).isFalse();
  }

  @Test
  void anInterruptEndsTheWaitAndNotTheConnection() throws Exception {
    for (int pause : new int[] {0, 1, 50}) {
      CompletableFuture<Thread> never = new CompletableFuture<>();
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      Thread waiting =
          new Thread(
              () -> {
                try {
                  loop.await(never, FOREVER);
                  interrupted.complete(false);
                } catch (InterruptedException e) {
                  interrupted.complete(!Thread.currentThread().isInterrupted());
                }
              });
      waiting.start();
      Thread.sleep(pause);
      waiting.interrupt();
      assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
      call();
      assertThat(channel.isActive()).isTrue();
    }
  }

  @Test
  void anInterruptedThreadStillSends() throws Exception {
    Thread.currentThread().interrupt();
    CompletableFuture<Thread> answer = send();
    assertThat(Thread.interrupted()).isTrue();
    answer.get(60, TimeUnit.SECONDS);
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void anInterruptDoesNotHideAnAnswer() throws Exception {
    Thread.currentThread().interrupt();
    loop.await(CompletableFuture.completedFuture(1), FOREVER);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aWaitEndsWhenAnotherThreadCompletesTheFuture() throws Exception {
    for (int pause : new int[] {0, 1, 50}) {
      CompletableFuture<Thread> awaited = new CompletableFuture<>();
      CompletableFuture.runAsync(() -> awaited.complete(Thread.currentThread()), after(pause));
      loop.await(awaited, FOREVER);
      assertThat(awaited).isDone();
    }
  }

  @Test
  void aWaitEndsWithItsTime() throws Exception {
    for (long micros : new long[] {-1, 0, 300, 5_000, 40_000}) {
      long startedAt = System.nanoTime();
      loop.await(new CompletableFuture<>(), TimeUnit.MICROSECONDS.toNanos(micros));
      assertThat(System.nanoTime() - startedAt).isGreaterThanOrEqualTo(micros * 1_000);
    }
    call();
  }

  @Test
  void timersRunInTimeWithAnyWatcher() throws Exception {
    CompletableFuture<Thread> idle = new CompletableFuture<>();
    loop.schedule(() -> idle.complete(Thread.currentThread()), 20, TimeUnit.MILLISECONDS);
    assertThat(idle.get(60, TimeUnit.SECONDS).getName()).isEqualTo("loop under test");

    CompletableFuture<Thread> watched = new CompletableFuture<>();
    loop.schedule(() -> watched.complete(Thread.currentThread()), 50, TimeUnit.MILLISECONDS);
    loop.await(watched, FOREVER);
    assertThat(watched).isDone();

    CompletableFuture<Thread> sooner = new CompletableFuture<>();
    loop.schedule(() -> {}, 1, TimeUnit.HOURS);
    loop.schedule(() -> sooner.complete(Thread.currentThread()), 20, TimeUnit.MILLISECONDS);
    sooner.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aTaskThatSubmitsForEverDoesNotKeepItsFirstSubmitter() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger runs = new AtomicInteger();
    Runnable again =
        new Runnable() {
          @Override
          public void run() {
            runs.incrementAndGet();
            if (!stop.get()) {
              loop.execute(this);
            }
          }
        };
    loop.execute(again); // returns
    await().atMost(Duration.ofSeconds(60)).until(() -> runs.get() > 1_000);
    stop.set(true);
    call();
  }

  @Test
  void aTaskThatThrowsHarmsNoOther() throws Exception {
    loop.execute(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    call();
  }

  @Test
  void aSubmittedTaskNeverRunsInsideTheSubmittingCall() throws Exception {
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    loop.execute(() -> ran.complete(Thread.currentThread()));
    assertThat(ran.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
  }

  @Test
  void aTaskRunsOnTheCallingThreadWithTheTasksThatItSubmits() throws Exception {
    Thread first;
    do { // soon, or never: the loop thread may still have the turn
      List<Thread> threads = new ArrayList<>();
      CompletableFuture<Void> second = new CompletableFuture<>();
      loop.run(
          () -> {
            threads.add(Thread.currentThread());
            loop.execute(
                () -> {
                  threads.add(Thread.currentThread());
                  second.complete(null);
                });
          });
      second.get(60, TimeUnit.SECONDS);
      first = threads.get(0);
      assertThat(threads).containsExactly(first, first);
    } while (first != Thread.currentThread());
  }

  @Test
  void aWorkerThatWaitsIsReplacedByItsPool() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      CompletableFuture<Thread> awaited = new CompletableFuture<>();
      pool.submit(() -> awaitQuietly(awaited));
      Thread.sleep(50); // the worker waits by now
      pool.submit(() -> awaited.complete(Thread.currentThread()));
      awaited.get(60, TimeUnit.SECONDS);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void theLoopThreadDoesNotSpinAfterAnInterrupt() throws Exception {
    Thread own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("loop under test"))
            .filter(thread -> thread.isAlive())
            .findAny()
            .orElseThrow();
    own.interrupt();
    Thread.sleep(50);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getThreadCpuTime(own.getId());
    Thread.sleep(500);
    long used = threads.getThreadCpuTime(own.getId()) - before;
    assertThat(used).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
    call();
  }

  @Test
  void aWatcherReturnsInTimeEvenIfAnotherThreadKeepsTheTurn() throws Exception {
    CompletableFuture<Void> end = new CompletableFuture<>();
    CompletableFuture<Boolean> back = new CompletableFuture<>();
    Thread watching =
        new Thread(
            () -> {
              try {
                loop.await(new CompletableFuture<>(), TimeUnit.SECONDS.toNanos(2));
                back.complete(true);
              } catch (InterruptedException e) {
                back.complete(false);
              }
            });
    watching.start();
    awaitAtTheSockets(watching);
    Thread slow = new Thread(() -> loop.run(end::join));
    slow.start();
    try {
      assertThat(back.get(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      end.complete(null);
      slow.join();
    }
  }

  @Test
  void closingEndsConnectionsAndWaits() throws Exception {
    CompletableFuture<Thread> never = new CompletableFuture<>();
    CountDownLatch out = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      new Thread(
              () -> {
                awaitQuietly(never);
                out.countDown();
              })
          .start();
    }
    Thread.sleep(20);
    channel.closeFuture().addListener(closed -> never.cancel(false));
    assertThat(loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS))
        .isTrue();
    assertThat(out.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(channel.isOpen()).isFalse();
    assertThat(loop.isTerminated()).isTrue();
    assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    loop.await(new CompletableFuture<>(), FOREVER); // returns at once
  }

  @Test
  void theWatcherSeesThatTheOtherSideHasClosedTheConnection() throws Exception {
    CompletableFuture<Thread> closed = new CompletableFuture<>();
    channel.closeFuture().addListener(done -> closed.complete(Thread.currentThread()));
    CompletableFuture.runAsync(server::hangUp, after(100));
    loop.await(closed, FOREVER);
    assertThat(closed).isDone();
    channel = open(); // the loop goes on with a new one
    call();
  }

  // ---- tools

  private Channel open() throws InterruptedException {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .handler(new Answers())
        .connect(InetAddress.getLoopbackAddress(), server.port())
        .sync()
        .channel();
  }

  private CompletableFuture<Thread> send() {
    CompletableFuture<Thread> answer = new CompletableFuture<>();
    loop.run( // so that questions and futures have the same order
        () -> {
          unanswered.add(answer);
          channel.writeAndFlush(channel.alloc().buffer().writeByte('q'));
        });
    return answer;
  }

  /** Sends a request, waits, and returns the thread that has read the answer. */
  private Thread call() throws Exception {
    CompletableFuture<Thread> answer = send();
    loop.await(answer, FOREVER);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private void callTimes(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      call();
    }
  }

  /** Waits until a thread blocks in the selector of the loop, which means that it has the watch. */
  private static void awaitAtTheSockets(Thread thread) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                !thread.isAlive()
                    || Arrays.stream(thread.getStackTrace())
                        .anyMatch(
                            frame ->
                                frame.getMethodName().equals("select")
                                    && frame.getClassName().startsWith("sun.nio.ch.")));
  }

  private void awaitQuietly(CompletableFuture<?> awaited) {
    try {
      loop.await(awaited, FOREVER);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Executor after(long millis) {
    return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
  }

  /** The work of a thread. */
  interface Work {
    void run(int number) throws Exception;
  }

  private static void inThreads(int count, Work work) throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      new Thread(
              () -> {
                try {
                  work.run(number);
                  done.complete(null);
                } catch (Exception | Error e) {
                  done.completeExceptionally(e);
                }
              })
          .start();
    }
    for (CompletableFuture<Void> done : all) {
      done.get(200, TimeUnit.SECONDS);
    }
  }

  /** Completes the oldest request with each byte, and the message with an 'm'. */
  private final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
      while (bytes.isReadable()) {
        CompletableFuture<Thread> next =
            bytes.readByte() == 'm' ? message.getAndSet(null) : unanswered.poll();
        if (next != null) {
          next.complete(Thread.currentThread());
        }
      }
    }
  }

  /** Sends back all bytes. */
  private static final class EchoServer implements AutoCloseable {
    private final ServerSocket listening;
    private volatile @Nullable Socket connected;

    EchoServer() throws IOException {
      listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
      Thread thread = new Thread(this::serve, "echo");
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listening.getLocalPort();
    }

    private void serve() {
      while (!listening.isClosed()) {
        try (Socket socket = listening.accept()) {
          socket.setTcpNoDelay(true);
          connected = socket;
          echo(socket);
        } catch (IOException e) {
          // closed by a test
        }
      }
    }

    private static void echo(Socket socket) throws IOException {
      byte[] buffer = new byte[4096];
      InputStream in = socket.getInputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        synchronized (socket) {
          socket.getOutputStream().write(buffer, 0, n);
        }
      }
    }

    void sendMessage() {
      Socket socket = Objects.requireNonNull(connected);
      try {
        synchronized (socket) {
          socket.getOutputStream().write('m');
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void hangUp() {
      try {
        Objects.requireNonNull(connected).close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      listening.close();
      Socket socket = connected;
      if (socket != null) {
        socket.close();
      }
    }
  }
}
