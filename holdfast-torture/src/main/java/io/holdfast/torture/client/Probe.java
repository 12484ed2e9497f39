package io.holdfast.torture.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * When all faults are over and nobody works any more: takes each lock once, which must work within
 * the lease and a margin, reads the registers a last time, and opens the latches.
 */
final class Probe {
  private final Locks locks;
  private final Recorder recorder;
  private final String registerUrl;

  Probe(Locks locks, Recorder recorder, String registerUrl) {
    this.locks = locks;
    this.recorder = recorder;
    this.registerUrl = registerUrl;
  }

  void run(Duration patience) throws InterruptedException {
    try (RegisterWork registers = new RegisterWork(Register.connect(registerUrl), recorder)) {
      LockWork work = new LockWork(locks, recorder, registers);
      for (Operation operation : operations(patience.toMillis())) {
        work.run(operation);
      }
      for (Primitive primitive : Primitive.values()) {
        if (primitive.exclusive()) {
          primitive.keys().forEach(key -> registers.read(key, true));
        }
      }
    }
    LatchWork latches = new LatchWork(recorder);
    Primitive.LATCH.keys().forEach(key -> latches.open(locks.manager().getCountDownLatch(key)));
  }

  /** Each lock once, and all permits of each semaphore; no draw, nothing left to chance. */
  private static List<Operation> operations(long waitMillis) {
    return Arrays.stream(Primitive.values())
        .filter(primitive -> primitive != Primitive.LATCH)
        .flatMap(
            primitive ->
                primitive.keys().stream()
                    .limit(primitive == Primitive.MULTI ? 1 : Long.MAX_VALUE)
                    .map(
                        key ->
                            new Operation(
                                primitive,
                                key,
                                primitive == Primitive.SEMAPHORE || primitive == Primitive.MULTI
                                    ? How.HANDLE
                                    : How.TIMED,
                                primitive == Primitive.SEMAPHORE ? Primitive.PERMITS : 1,
                                waitMillis,
                                0,
                                false,
                                0,
                                primitive.exclusive(),
                                0)))
        .toList();
  }
}
