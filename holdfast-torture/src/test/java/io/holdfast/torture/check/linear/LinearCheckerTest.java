package io.holdfast.torture.check.linear;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The search itself, against one that tries every order. */
class LinearCheckerTest {
  private static final Model<Long> LATCH = new LatchModel();
  private static final int HISTORIES = 20_000;

  private static boolean bruteForce(Long state, List<Operation> left) {
    if (left.stream().allMatch(each -> each.to() == Operation.NEVER)) {
      return true;
    }
    for (int i = 0; i < left.size(); i++) {
      Operation next = left.get(i);
      boolean mayBeNext = left.stream().noneMatch(each -> each.to() < next.from());
      Long after = mayBeNext ? LATCH.apply(state, next.step()) : null;
      if (after != null) {
        List<Operation> rest = new ArrayList<>(left);
        rest.remove(i);
        if (bruteForce(after, rest)) {
          return true;
        }
      }
    }
    return false;
  }

  private static Operation random(Random random) {
    Step step =
        switch (random.nextInt(5)) {
          case 0 -> new Step.SetCount(1 + random.nextInt(2), random.nextBoolean());
          case 1, 2 -> new Step.CountDown(random.nextInt(4) - 2);
          case 3 -> new Step.Forget();
          default -> new Step.Pass();
        };
    long from = random.nextInt(20);
    long to = random.nextInt(4) == 0 ? Operation.NEVER : from + random.nextInt(15);
    return new Operation(step, from, to, List.of());
  }

  @Test
  void itSaysWhatTryingEveryOrderSays() {
    Random random = new Random(4711);
    int right = 0;
    for (int i = 0; i < HISTORIES; i++) {
      List<Operation> operations = new ArrayList<>();
      int size = 1 + random.nextInt(6);
      for (int j = 0; j < size; j++) {
        operations.add(random(random));
      }
      boolean expected = bruteForce(LATCH.initial(), operations);
      assertThat(LinearChecker.check(LATCH, operations, 1_000_000))
          .as("%s", operations)
          .isInstanceOf(expected ? LinearResult.Found.class : LinearResult.Refused.class);
      right += expected ? 1 : 0;
    }
    assertThat(right).as("both kinds were met").isBetween(HISTORIES / 10, HISTORIES * 9 / 10);
  }

  @Test
  void aSearchThatTakesTooLongIsNotDecided() {
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      operations.add(new Operation(new Step.SetCount(i + 1, true), 0, 100, List.of()));
      operations.add(new Operation(new Step.CountDown(i), 0, 100, List.of()));
    }
    assertThat(LinearChecker.check(LATCH, operations, 10_000))
        .isInstanceOf(LinearResult.Undecided.class);
  }

  @Test
  void manyThatNeedNotTakeEffectAreOneChoice() {
    List<Operation> operations = new ArrayList<>();
    operations.add(new Operation(new Step.SetCount(60, true), 0, 1, List.of()));
    for (int i = 0; i < 60; i++) {
      operations.add(
          new Operation(new Step.CountDown(LatchModel.UNKNOWN), 2 + i, Operation.NEVER, List.of()));
    }
    operations.add(new Operation(new Step.Pass(), 100, 101, List.of()));
    assertThat(LinearChecker.check(LATCH, operations, 10_000))
        .isInstanceOf(LinearResult.Found.class);
  }
}
