package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.client.Operation;
import io.holdfast.torture.client.OperationDraw;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.FaultPlan;
import io.holdfast.torture.nemesis.PlannedFault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A run can be repeated: what is done depends on the seed alone. */
class SeedTest {
  private static final Duration LEASE = TortureSettings.LEASE;

  @Test
  void theSameSeedDrawsTheSameFaults() {
    assertThat(plan(7)).isEqualTo(plan(7)).isNotEqualTo(plan(8)).isNotEmpty();
  }

  @Test
  void theSameSeedDrawsTheSameOperationsForEachThread() {
    assertThat(operations(7, "c1", 0)).isEqualTo(operations(7, "c1", 0));
    assertThat(operations(7, "c1", 0)).isNotEqualTo(operations(8, "c1", 0));
    assertThat(operations(7, "c1", 0)).isNotEqualTo(operations(7, "c1", 1));
    assertThat(operations(7, "c1", 0)).isNotEqualTo(operations(7, "c2", 0));
  }

  @Test
  void noFaultComesTwiceBeforeAllHaveComeOnce() {
    List<PlannedFault> plan =
        FaultPlan.draw(7, EnumSet.allOf(FaultKind.class), Duration.ofMinutes(5), LEASE, 3, 1);
    Set<FaultKind> first =
        plan.stream()
            .limit(FaultKind.values().length)
            .map(PlannedFault::kind)
            .collect(Collectors.toSet());
    assertThat(first).containsExactlyInAnyOrder(FaultKind.values());
  }

  @Test
  void noFaultLastsLongerThanThePlan() {
    assertThat(plan(7)).allMatch(each -> each.startMillis() + each.durationMillis() <= 30_000);
  }

  /** A thread of its own works with the other. */
  private static final Set<Primitive> DRAWN = EnumSet.complementOf(EnumSet.of(Primitive.TURNS));

  @Test
  void everyPrimitiveIsDrawn() {
    assertThat(operations(7, "c1", 0).stream().map(Operation::primitive).distinct())
        .containsExactlyInAnyOrderElementsOf(DRAWN);
  }

  private static List<PlannedFault> plan(long seed) {
    return FaultPlan.draw(
        seed, EnumSet.allOf(FaultKind.class), Duration.ofSeconds(30), LEASE, 3, 1);
  }

  private static List<Operation> operations(long seed, String client, int thread) {
    OperationDraw draw =
        new OperationDraw(
            seed, client, thread, LEASE.toMillis(), 2, EnumSet.allOf(Primitive.class));
    return Stream.generate(draw::next).limit(500).toList();
  }
}
