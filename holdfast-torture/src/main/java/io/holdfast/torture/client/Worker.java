package io.holdfast.torture.client;

import io.holdfast.LockManagerClosedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** A thread that draws one operation after the other and does it, until it is told to stop. */
final class Worker implements Runnable {
  private final Locks locks;
  private final Supplier<Operation> draw;
  private final Recorder recorder;
  private final AtomicLong done;
  private final String registerUrl;
  private volatile boolean stopped;

  Worker(
      Locks locks,
      Supplier<Operation> draw,
      Recorder recorder,
      AtomicLong done,
      String registerUrl) {
    this.locks = locks;
    this.draw = draw;
    this.recorder = recorder;
    this.done = done;
    this.registerUrl = registerUrl;
  }

  /** After the operation that is under way. */
  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    try (RegisterWork registers = new RegisterWork(Register.connect(registerUrl), recorder)) {
      LockWork lockWork = new LockWork(locks, recorder, registers);
      LatchWork latchWork = new LatchWork(recorder);
      while (!stopped) {
        Operation next = draw.get();
        if (next.primitive() == Primitive.LATCH) {
          latchWork.run(
              locks.manager().getCountDownLatch(next.key()), next.permits(), next.waitMillis());
        } else {
          lockWork.run(next);
        }
        done.incrementAndGet();
        Thread.sleep(next.pauseMillis());
      }
    } catch (InterruptedException | LockManagerClosedException e) {
      // the client ends
    }
  }
}
