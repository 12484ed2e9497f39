package io.holdfast.cli.demo;

import io.holdfast.LockConfig;
import io.holdfast.cli.Screen;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code holdfast demo}: checks the options, runs a {@link Demo}, prints its {@link Summary}. The
 * exit code is 0 if the lock kept its promise.
 */
@Command(
    name = "demo",
    description = {
      "Shows what the lock is good for.",
      "Worker processes sell the same stock, first without a lock, then with it."
    },
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
  private static final int STOPPED = 130;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Redis server to use, redis://... or rediss://...; default: an embedded one.")
  private @Nullable String url;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "4",
      description = "Worker processes; default: ${DEFAULT-VALUE}.")
  private int workers;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads in each of them; default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--stock",
      paramLabel = "N",
      defaultValue = "500",
      description = "Items to sell; default: ${DEFAULT-VALUE}.")
  private int stock;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      defaultValue = "demo:stock",
      description = "Redis key of the stock; default: ${DEFAULT-VALUE}.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String key;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this text.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Override
  public Integer call() throws InterruptedException {
    DemoSettings settings = checkedSettings();
    Screen screen = Screen.of(spec.commandLine().getOut());
    try (CleanUp cleanUp = new CleanUp()) {
      return run(settings, screen, cleanUp);
    } catch (DemoRefusedException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (DemoFailedException e) {
      spec.commandLine().getErr().println("\nholdfast demo: " + e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  private static int run(DemoSettings settings, Screen screen, CleanUp cleanUp)
      throws InterruptedException {
    List<RoundResult> results;
    try {
      results = new Demo(settings, screen, cleanUp).run();
    } catch (DemoRefusedException e) {
      throw e;
    } catch (RuntimeException e) {
      if (cleanUp.isStopping()) {
        return STOPPED; // whatever it was, it is not the reason
      }
      throw e;
    }
    cleanUp.close();
    new Summary(screen, settings).print(results);
    return exitCode(results);
  }

  /** Overselling without the lock is the point; with it, it is a failure. */
  static int exitCode(List<RoundResult> results) {
    boolean broken =
        results.stream()
            .filter(result -> result.round() == Round.WITH_LOCK)
            .anyMatch(result -> result.sales().oversold() > 0);
    return broken ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private DemoSettings checkedSettings() {
    requireInRange("--workers", workers, 64);
    requireInRange("--threads", threads, 64);
    requireInRange("--stock", stock, 100_000);
    try {
      LockConfig.builder().lockKey(DemoKeys.of(key).lock()); // checks it
      if (key.isBlank()) {
        throw new IllegalArgumentException("it must not be blank");
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--key: " + e.getMessage(), e);
    }
    return new DemoSettings(url, workers, threads, stock, key);
  }

  private void requireInRange(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          "%s must be a number from 1 to %d, not %d".formatted(option, most, value));
    }
  }
}
