package io.holdfast.bench.store;

import io.holdfast.bench.process.ProcessCpu;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Redis, without persistence. Its statistics count commands that clients send and commands that
 * scripts call alike; which is which is seen in a short {@linkplain #watch() watch} with MONITOR,
 * outside the time that is measured.
 */
final class RedisStoreServer implements StoreServer {
  private static final Set<String> OURS = Set.of("info", "monitor", "echo");
  private static final String CALLS = "calls=";

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private final Map<String, String> about = info("server");

  @Override
  public String description() {
    return "Redis %s, allocator %s, without persistence"
        .formatted(about.get("redis_version"), info("memory").get("mem_allocator"));
  }

  @Override
  public String url() {
    return server.url();
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String urlAt(int port) {
    return "redis://127.0.0.1:" + port;
  }

  @Override
  public Traffic traffic() {
    Map<String, Long> calls = new LinkedHashMap<>();
    info("commandstats")
        .forEach(
            (key, value) -> {
              String name = key.substring("cmdstat_".length());
              if (!OURS.contains(name)) {
                calls.put(
                    name, Long.parseLong(value.substring(CALLS.length(), value.indexOf(','))));
              }
            });
    Map<String, String> stats = info("stats");
    long in = Long.parseLong(stats.getOrDefault("total_net_input_bytes", "0"));
    long out = Long.parseLong(stats.getOrDefault("total_net_output_bytes", "0"));
    return new Traffic(calls, in + out);
  }

  @Override
  public long cpuNanos() {
    return ProcessCpu.nanos(Long.parseLong(about.getOrDefault("process_id", "0")));
  }

  @Override
  public int connections() {
    return Integer.parseInt(info("clients").getOrDefault("connected_clients", "1")) - 1;
  }

  @Override
  public Watch watch() {
    RedisMonitor monitor = client.monitor();
    return () -> {
      try (monitor) {
        Map<String, long[]> seen = new HashMap<>(); // {by clients, by scripts}
        for (RedisMonitor.Command command : monitor.commands()) {
          seen.computeIfAbsent(command.name().toLowerCase(Locale.ROOT), name -> new long[2])[
              command.fromScript() ? 1 : 0]++;
        }
        Map<String, Double> shares = new HashMap<>();
        seen.forEach((name, n) -> shares.put(name, n[0] / (double) (n[0] + n[1])));
        return shares;
      }
    };
  }

  private synchronized Map<String, String> info(String section) {
    Map<String, String> lines = new LinkedHashMap<>();
    String.valueOf(client.call("INFO", section))
        .lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                lines.put(line.substring(0, colon), line.substring(colon + 1).strip());
              }
            });
    return lines;
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
