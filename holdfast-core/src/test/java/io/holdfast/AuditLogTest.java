package io.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.Owner;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The audit log as it arrives behind SLF4J: the simple logger writes to the error stream. */
class AuditLogTest {
  private static final String MARK = "INFO io.holdfast.audit - ";
  private static final Pattern PAIR = Pattern.compile(" (\\w+)=(\"(?:[^\"\\\\]|\\\\.)*\"|[0-9.]+)");

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final ManualTime time = new ManualTime();
  private final MemoryStore store = new MemoryStore(time);

  AuditLogTest() {
    System.setErr(new PrintStream(written, true, UTF_8));
  }

  @AfterEach
  void giveTheStreamBack() {
    System.setErr(before);
  }

  @Test
  void hasALineForEachAcquireAndRelease() {
    long token;
    try (LockManager manager = manager(true)) {
      DistributedLock lock = manager.getLock("stock:42");
      lock.lock();
      token = lock.fencingToken();
      time.advance(Duration.ofNanos(12_345_678));
      lock.unlock();
    }

    String thread = Thread.currentThread().getName();
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(0)).startsWith("acquired key=\"stock:42\" owner=\"");
    assertThat(pairs(lines().get(0)))
        .containsEntry("key", "stock:42")
        .containsEntry("token", String.valueOf(token))
        .containsEntry("thread", thread)
        .containsEntry("waitMs", "0.000");
    assertThat(lines().get(1)).startsWith("released key=\"stock:42\" owner=\"");
    assertThat(pairs(lines().get(1)))
        .containsEntry("owner", pairs(lines().get(0)).get("owner"))
        .containsEntry("token", String.valueOf(token))
        .containsEntry("thread", thread)
        .containsEntry("heldMs", "12.345");
  }

  @Test
  void saysHowLongSomebodyWaitedForWhatAnotherHeld() {
    try (LockManager manager = manager(true)) {
      Lease first = manager.getLock("k").acquire();
      var second = manager.getLock("k").acquireAsync();
      time.advance(Duration.ofMillis(7));
      first.close();
      second.join().close();
    }

    assertThat(lines()).hasSize(4);
    assertThat(pairs(lines().get(1))).containsEntry("detail", "handed on");
    assertThat(pairs(lines().get(2))).containsEntry("waitMs", "7.000");
  }

  @Test
  void hasALineForALossAndForWhoForcedIt() {
    try (LockManager manager = manager(true)) {
      manager.getLock("k").lock();
      manager.getLock("k").forceUnlock();
    }

    assertThat(lines()).hasSize(3);
    Map<String, String> acquired = pairs(line("acquired"));
    String client = Owner.parse(acquired.getOrDefault("owner", "")).clientId();
    assertThat(pairs(line("forced")))
        .containsEntry("key", "k")
        .containsEntry("by", client)
        .containsEntry("thread", Thread.currentThread().getName());
    assertThat(pairs(line("lost")))
        .containsEntry("key", "k")
        .containsEntry("token", acquired.get("token"))
        .containsEntry("reason", "GONE_FROM_STORE")
        .containsEntry("heldMs", "0.000");
  }

  @Test
  void hasALineForALatchThatWasForcedOpenAndNoneForPassingIt() throws InterruptedException {
    try (LockManager manager = manager(true)) {
      DistributedCountDownLatch latch = manager.getCountDownLatch("k");
      latch.forceOpen(); // it is open
      latch.trySetCount(2);
      latch.forceOpen();
      latch.await();
    }

    assertThat(lines()).hasSize(1);
    assertThat(pairs(line("forced")))
        .containsEntry("key", "k")
        .containsEntry("thread", Thread.currentThread().getName());
  }

  @Test
  void isEmptyUnlessItIsTurnedOn() {
    try (LockManager manager = manager(false)) {
      manager.getLock("k").lock();
      manager.getLock("k").unlock();
      manager.getLock("k").lock();
      manager.getLock("k").forceUnlock();
    }

    assertThat(written.toString(UTF_8)).doesNotContain("io.holdfast.audit");
  }

  @Test
  void aKeyCannotForgeALine() {
    String evil =
        "a\" token=1\r\n[main] INFO io.holdfast.audit - acquired key=\"b\\\u2028\u0085\u202e";
    try (LockManager manager = manager(true)) {
      manager.getLock(evil).acquire().close();
    }

    assertThat(written.toString(UTF_8).lines()).hasSize(2);
    assertThat(written.toString(UTF_8)).doesNotContainPattern("[\u2028\u0085\u202e]");
    assertThat(pairs(lines().get(0))).containsEntry("key", evil).hasSize(5);
    assertThat(pairs(lines().get(1))).containsEntry("key", evil).hasSize(6);
  }

  @Test
  void aThreadCannotForgeALine() {
    String evil = "t\" heldMs=0.000\nreleased";
    Thread thread = Thread.currentThread();
    String name = thread.getName();
    try (LockManager manager = manager(true)) {
      thread.setName(evil);
      Lease lease = manager.getLock("k").acquire();
      thread.setName(name);
      lease.close();
    } finally {
      thread.setName(name);
    }

    assertThat(pairs(lines().get(1))).hasSize(6).containsKey("thread").containsKey("heldMs");
    assertThat(lines().get(0)).contains("thread=\"t\\\" heldMs=0.000\\u000areleased\"");
  }

  @Test
  void everyKeyCanBeReadBack() {
    SplittableRandom random = new SplittableRandom(7);
    try (LockManager manager = manager(true)) {
      for (int i = 0; i < 300; i++) {
        String key = "k" + text(random);
        written.reset();
        manager.getLock(key).acquire().close();
        assertThat(lines()).hasSize(2);
        assertThat(pairs(lines().get(0))).hasSize(5).containsEntry("key", key);
      }
    }
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int[] nasty = "\"\\ =\n\r\t\0\u001b\u007f\u2029\ud83d\ude00é漢nu0a".codePoints().toArray();
    for (int i = random.nextInt(20); i > 0; i--) {
      text.appendCodePoint(nasty[random.nextInt(nasty.length)]);
    }
    return text.toString();
  }

  private LockManager manager(boolean audit) {
    return time.drive(LockManager.builder("memory:"))
        .engine(new MemoryBackendProvider(store))
        .callbackExecutor(Runnable::run)
        .audit(audit)
        .build();
  }

  private List<String> lines() {
    return written
        .toString(UTF_8)
        .lines()
        .filter(line -> line.contains(MARK))
        .map(line -> line.substring(line.indexOf(MARK) + MARK.length()))
        .toList();
  }

  private String line(String word) {
    return lines().stream().filter(each -> each.startsWith(word + " ")).findFirst().orElseThrow();
  }

  /** Reads a line as a program would that knows its form. */
  private static Map<String, String> pairs(String line) {
    Map<String, String> pairs = new LinkedHashMap<>();
    Matcher matcher = PAIR.matcher(line);
    int at = line.indexOf(' ');
    while (matcher.find(at) && matcher.start() == at) {
      pairs.put(matcher.group(1), unquoted(matcher.group(2)));
      at = matcher.end();
    }
    assertThat(at).as("all of it was read: %s", line).isEqualTo(line.length());
    return pairs;
  }

  private static String unquoted(String value) {
    if (!value.startsWith("\"")) {
      return value;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < value.length() - 1; i++) {
      char c = value.charAt(i);
      if (c == '\\' && value.charAt(++i) == 'u') {
        text.append((char) Integer.parseInt(value.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        text.append(value.charAt(i));
      }
    }
    return text.toString();
  }
}
