package io.holdfast.torture.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockBackend;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A life leaves nothing behind, so that thousands of them fit into one build. Each engine refers to
 * the store, the clock and the world of its life; the history events are what a result consists of.
 */
@Isolated
@Timeout(300)
class SimulationMemoryTest {
  private static final int LIVES = 20;

  @Test
  void aLifeThatIsOverAndItsHistoryCanBeCollected() throws InterruptedException {
    List<WeakReference<Object>> remains = new ArrayList<>();
    Lives lives = new Lives();
    for (int seed = 1; seed <= LIVES; seed++) {
      for (Weather weather : List.of(Weather.FINE, Weather.STORMY, Weather.VANDALS)) {
        lives.add(live(seed, weather, remains));
      }
    }
    assertThat(remains).hasSizeGreaterThan(3 * LIVES);
    while (remains.stream().anyMatch(each -> each.get() != null)) { // bounded by the time-out
      System.gc();
      Thread.sleep(10);
    }
    assertThat(lives.count()).isEqualTo(3 * LIVES);
  }

  private static Simulation.Result live(
      long seed, Weather weather, List<WeakReference<Object>> remains) {
    Simulation.Result result =
        new Simulation(seed, weather, engine -> noted(engine, remains), false).run();
    remains.add(new WeakReference<>(result.history()));
    return result;
  }

  private static LockBackend noted(LockBackend engine, List<WeakReference<Object>> remains) {
    remains.add(new WeakReference<>(engine));
    return engine;
  }
}
