package io.holdfast.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficTest {
  @Test
  void onlyWhatClientsSentIsCounted() {
    Traffic before = new Traffic(Map.of("evalsha", 10L, "hset", 5L, "ping", 3L), 1000);
    Traffic after = new Traffic(Map.of("evalsha", 14L, "hset", 9L, "ping", 3L, "del", 4L), 1800);
    Traffic between = after.since(before);
    assertThat(between.calls()).isEqualTo(Map.of("evalsha", 4L, "hset", 4L, "del", 4L));
    assertThat(between.bytes()).isEqualTo(800);
    assertThat(between.total(Map.of("hset", 0.0, "del", 0.5))).isEqualTo(6);
  }

  @Test
  void aServerThatTellsNothingIsUnknown() {
    assertThat(Traffic.UNKNOWN.known()).isFalse();
    assertThat(Traffic.UNKNOWN.since(Traffic.UNKNOWN).known()).isFalse();
  }
}
