package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.FakeClock;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls end by the clock that is given to the manager, and by no other. */
class CallTimeoutsTest {
  private final FakeClock clock = new FakeClock();
  private final CallTimeouts timeouts = new CallTimeouts(clock, clock, Duration.ofSeconds(8));
  private final List<Throwable> faults = new ArrayList<>();

  private ScriptCall<Long> sent() {
    ScriptCall<Long> call =
        new ScriptCall<>(
            CommandType.EVALSHA,
            new IntegerOutput<>(StringCodec.UTF8),
            new ScriptArgs("sha", new String[] {"k"}, new String[0]),
            timeouts,
            (value, fault) -> {
              if (fault != null) {
                faults.add(fault);
              }
            });
    timeouts.sent(call);
    return call;
  }

  @Test
  void aCallThatIsNotAnsweredEndsWhenItsTimeIsUp() {
    sent();
    clock.advance(Duration.ofSeconds(7));
    assertThat(faults).isEmpty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(faults).singleElement().isInstanceOf(RedisCommandTimeoutException.class);
    assertThat(clock.tasksWaiting()).as("nothing is planned while no call is under way").isZero();
  }

  @Test
  void eachCallHasItsOwnTime() {
    sent();
    clock.advance(Duration.ofSeconds(5));
    ScriptCall<Long> second = sent();
    clock.advance(Duration.ofSeconds(4));
    assertThat(faults).hasSize(1);
    assertThat(second.isDone()).isFalse();
    clock.advance(Duration.ofSeconds(5));
    assertThat(faults).hasSize(2);
  }
}
