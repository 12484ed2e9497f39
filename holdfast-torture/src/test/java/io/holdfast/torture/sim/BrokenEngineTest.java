package io.holdfast.torture.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.broken.BrokenEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The simulation is itself tested: it must find each of the usual mistakes within a few lives. */
class BrokenEngineTest {
  private static final int LIVES = 100;

  @ParameterizedTest
  // There is no latch in the simulation, and nobody who looks at queues.
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"COUNTS_TWICE", "HANDS_TO_WHO_CAME_LAST"})
  void isCaught(BrokenEngine broken) {
    int lives = 0;
    Simulation.Result result;
    do {
      Weather weather = lives % 2 == 0 ? Weather.STORMY : Weather.VANDALS;
      result = new Simulation(++lives, weather, broken::of, false).run();
    } while (result.violations().isEmpty() && lives < LIVES);
    assertThat(result.violations()).as("after %d lives", lives).isNotEmpty();
  }
}
