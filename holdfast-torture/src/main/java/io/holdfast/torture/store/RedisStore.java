package io.holdfast.torture.store;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.JumpingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One Redis that writes every change to disk before it answers. The registers are in a second one,
 * which is left alone, so that they outlive FLUSHALL.
 */
final class RedisStore implements TortureStore, TortureServer {
  private static final String BUSY =
      """
      local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
      local last = now() + ARGV[1]
      while now() < last do end
      return 1
      """;

  private final Path directory = ServerProcess.newDirectory("torture");
  private final Optional<JumpingClock> clock = JumpingClock.in(directory.resolve("server-clock"));
  private final RedisServer server =
      RedisServer.builder()
          .persistent()
          .env(clock.map(JumpingClock::environment).orElse(Map.of()))
          .start();
  private final RedisServer registers = RedisServer.builder().start();
  private final Optional<JumpingClock> settable = clock.filter(each -> loads("faketime"));

  @Override
  public String version() {
    return "Redis " + info("server", "redis_version") + ", every write forced to disk";
  }

  @Override
  public List<Integer> ports() {
    return List.of(server.port());
  }

  @Override
  public String url(List<Integer> ports) {
    return "redis://127.0.0.1:" + ports.get(0) + "?timeout=700ms";
  }

  @Override
  public String registerUrl() {
    return registers.url();
  }

  @Override
  public Set<FaultKind> faults() {
    Set<FaultKind> faults = EnumSet.allOf(FaultKind.class);
    faults.remove(FaultKind.LEADER_LOSS);
    return faults;
  }

  @Override
  public List<TortureServer> servers() {
    return List.of(this);
  }

  @Override
  public Optional<JumpingClock> clock() {
    return settable;
  }

  /** A server that is linked statically loads no library, whatever its environment says. */
  private boolean loads(String library) {
    Path maps = Path.of("/proc", info("server", "process_id"), "maps");
    try {
      return !Files.exists(maps) || Files.readString(maps).contains(library);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void start() {
    server.start();
  }

  @Override
  public void pause() {
    server.pause();
  }

  @Override
  public void resume() {
    server.resume();
  }

  @Override
  public void wipe() {
    call("FLUSHALL");
  }

  @Override
  public void forget(String key) {
    call("DEL", key);
  }

  @Override
  public void slow(String key, Duration time) {
    call("EVAL", BUSY, "0", Long.toString(time.toMillis()));
  }

  @Override
  public long wallClockMillis() {
    try (RespClient client = server.client()) {
      return Long.parseLong(String.valueOf(client.list("TIME").get(0))) * 1000;
    }
  }

  @Override
  public int connections() {
    return Integer.parseInt(info("clients", "connected_clients")) - 1;
  }

  @Override
  public List<String> leftovers() {
    try (RespClient client = server.client()) {
      return client.list("KEYS", "*").stream()
          .map(String::valueOf)
          .filter(key -> !key.equals("holdfast:fence"))
          .sorted()
          .toList();
    }
  }

  @Override
  public void close() {
    server.close();
    registers.close();
  }

  private void call(String... command) {
    try (RespClient client = server.client()) {
      client.call(command);
    }
  }

  private String info(String section, String name) {
    try (RespClient client = server.client()) {
      return String.valueOf(client.call("INFO", section))
          .lines()
          .filter(line -> line.startsWith(name + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElseThrow();
    }
  }
}
