package io.holdfast.torture.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a client process is told when it is started.
 *
 * @param name its name in the history, unique per process
 * @param stream what the draw of its operations depends on; the same when it is started again
 * @param url where the locks are, through its own network
 * @param registerUrl where the registers are
 * @param seed of the run
 * @param threads how many
 * @param longHolds how many of a hundred holds last longer than the lease
 * @param lease of all its locks
 * @param history its file
 * @param broken the name of a broken engine, or empty for the real one
 * @param primitives what it works with
 */
public record ClientSettings(
    String name,
    String stream,
    String url,
    String registerUrl,
    long seed,
    int threads,
    int longHolds,
    Duration lease,
    Path history,
    String broken,
    Set<Primitive> primitives) {

  /** As arguments of the process. */
  public List<String> arguments() {
    return List.of(
        name,
        stream,
        url,
        registerUrl,
        Long.toString(seed),
        Integer.toString(threads),
        Integer.toString(longHolds),
        Long.toString(lease.toMillis()),
        history.toString(),
        broken,
        primitives.stream().map(Primitive::name).collect(Collectors.joining(",")));
  }

  static ClientSettings parse(String[] args) {
    return new ClientSettings(
        args[0],
        args[1],
        args[2],
        args[3],
        Long.parseLong(args[4]),
        Integer.parseInt(args[5]),
        Integer.parseInt(args[6]),
        Duration.ofMillis(Long.parseLong(args[7])),
        Path.of(args[8]),
        args[9],
        Arrays.stream(args[10].split(",")).map(Primitive::valueOf).collect(Collectors.toSet()));
  }
}
