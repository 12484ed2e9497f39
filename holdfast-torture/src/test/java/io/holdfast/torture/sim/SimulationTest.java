package io.holdfast.torture.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many lives of the engine in bad weather. A seed that fails is printed; {@code
 * -Dholdfast.seed=4711} runs it alone and tells its story.
 */
class SimulationTest {
  private static final boolean FULL = Boolean.getBoolean("holdfast.test.full");
  private static final long FIRST = Long.getLong("holdfast.seeds.from", 1);

  /** In each of the three weathers; the full build lives 10,000 lives. */
  private static final int SEEDS = Integer.getInteger("holdfast.seeds", FULL ? 3334 : 300);

  private static void run(Weather weather) {
    Long only = Long.getLong("holdfast.seed");
    LongStream seeds = only != null ? LongStream.of(only) : LongStream.range(FIRST, FIRST + SEEDS);
    Lives lives = new Lives();
    seeds.forEach(seed -> lives.add(live(seed, weather, only != null)));
    assertThat(lives.obtained()).as("leases obtained").isPositive();
    if (lives.count() >= 20) {
      assertThat(lives.writesHandedOn())
          .as("write locks passed on inside a client")
          .isGreaterThan(lives.count() / 4);
      assertThat(lives.permitsHandedOn())
          .as("permits passed on inside a client")
          .isGreaterThan(lives.count() / 4);
    }
  }

  private static Simulation.Result live(long seed, Weather weather, boolean telling) {
    Simulation.Result result = new Simulation(seed, weather, engine -> engine, telling).run();
    result.story().forEach(System.out::println);
    assertThat(result.violations()).as("seed %d", seed).isEmpty();
    return result;
  }

  /**
   * Seeds beyond those of the default build in which a rule was once broken. 2016: a grant
   * overtakes a look of its waiter, and the lock is deleted in between.
   */
  @ParameterizedTest
  @ValueSource(longs = 2016)
  void whatWasOnceBrokenStaysMended(long seed) {
    live(seed, Weather.VANDALS, false);
  }

  @Test
  void inFineWeatherNothingIsBroken() {
    run(Weather.FINE);
  }

  @Test
  void inAStormNothingIsBroken() {
    run(Weather.STORMY);
  }

  @Test
  void whereLocksAreDeletedByHandTokensStillTellTheHoldersApartAndAllComesToAnEnd() {
    run(Weather.VANDALS);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 99})
  void theSameSeedIsTheSameLife(long seed) {
    Simulation.Result one = new Simulation(seed, Weather.STORMY, each -> each, true).run();
    Simulation.Result other = new Simulation(seed, Weather.STORMY, each -> each, true).run();
    assertThat(other.story()).isEqualTo(one.story()).isNotEmpty();
    assertThat(other.obtained()).isEqualTo(one.obtained());
  }
}
