package io.holdfast.jdbc.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.ResourceState;
import io.holdfast.testkit.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any client can send notifications, and operators can change rows. */
class HostileTextsTest {
  private static final int TEXTS = 50_000;
  private static final String STATE =
      "1;lock;1;1;0;H,client,1-a,host,77,app,main,1,1700000000000000,1700000030000000,1700000000000000"
          + ";W,other,2-b,host,78,app,main%000a,1,1,0,30000,1700000000000000,1700000003000000,a note,1700000002000000";

  @Test
  void anyPayloadIsParsedWithoutAnExceptionAndEveryGrantIsValid() {
    List<String> valid =
        List.of("granted 1700000000000000 1700000000000000 1500 1 1-abc", "wanted 1-a", "lost 1-a");
    long read =
        Mutations.of(4711, valid)
            .limit(TEXTS)
            .map(Notification::read)
            .filter(Notification.Granted.class::isInstance)
            .map(Notification.Granted.class::cast)
            .peek(
                granted -> {
                  assertThat(granted.leaseMillis()).isPositive();
                  assertThat(granted.tenureId()).isNotEmpty();
                  assertThatCode(() -> TokenBlock.ofTick(granted.tick()))
                      .doesNotThrowAnyException();
                })
            .count();
    assertThat(read).as("some mutations are still grants").isPositive();
  }

  @Test
  void aRowOfAnOlderVersionWithoutTheLastSignOfAWaiterIsParsed() {
    String older = STATE.substring(0, STATE.lastIndexOf(','));
    String seenUntilTheEnd = older + ",1700000003000000";
    assertThat(ResourceState.parse(older, 5).text()).isEqualTo(seenUntilTheEnd);
  }

  @Test
  void anInvalidRowIsAFaultOfThatRowOnly() {
    assertThat(ResourceState.parse(STATE, 5).text()).isEqualTo(STATE);
    int[] read = new int[2];
    Mutations.of(4712, List.of(STATE))
        .limit(TEXTS)
        .forEach(
            text -> {
              try {
                String again = ResourceState.parse(text, 5).text();
                assertThat(ResourceState.parse(again, 5).text()).as(text).isEqualTo(again);
                read[0]++;
              } catch (BackendException e) {
                assertThat(e).hasMessageContaining("what is stored of this key");
                read[1]++;
              }
            });
    assertThat(read[0]).as("read").isPositive();
    assertThat(read[1]).as("refused").isPositive();
  }
}
