package io.holdfast.torture.client;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreException;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation on a lock or semaphore from the request to the release, with everything that is
 * seen on the way. Clocks are read as the package of the history demands.
 */
final class LockWork {
  private static final long STEP_MILLIS = 10;

  /** Something that is held now. */
  private record Held(Hold hold, String holder, List<String> keys, @Nullable Long token) {}

  private final Locks locks;
  private final Recorder recorder;
  private final RegisterWork registers;

  LockWork(Locks locks, Recorder recorder, RegisterWork registers) {
    this.locks = locks;
    this.recorder = recorder;
    this.registers = registers;
  }

  void run(Operation operation) throws InterruptedException {
    boolean any =
        operation.primitive() == Primitive.SEGMENT
            && operation.how() == How.HANDLE
            && operation.waitMillis() >= 0;
    Held held = any ? acquireAny(operation) : acquire(operation);
    if (held != null) {
      try {
        inside(operation, held);
      } finally {
        release(held, false);
        if (held.token() != null) {
          locks.losses().forget(held.keys().get(0), held.token());
        }
      }
    }
  }

  private @Nullable Held acquire(Operation operation) throws InterruptedException {
    List<String> keys =
        operation.primitive() == Primitive.MULTI
            ? Primitive.MULTI.keys()
            : List.of(operation.key());
    Recorder.Call call = recorder.begin(Action.ACQUIRE, keys, asked(operation));
    try {
      Hold hold = locks.acquire(operation);
      if (hold == null) {
        call.fail(Map.of());
        return null;
      }
      return obtained(call, hold, keys, operation.primitive());
    } catch (LockTimeoutException | LockLostException e) {
      call.fail(Map.of(Detail.ERROR, Recorder.text(e)));
    } catch (InterruptedException e) {
      call.fail(Map.of(Detail.ERROR, "interrupted"));
      if (operation.how() != How.INTERRUPTIBLY) {
        throw e;
      }
    } catch (StoreException e) {
      call.unknown(e);
    } catch (RuntimeException e) {
      call.bug(e);
    }
    return null;
  }

  /** Which segment it is is known only when there is one. */
  private @Nullable Held acquireAny(Operation operation) throws InterruptedException {
    long begin = System.nanoTime();
    try {
      Lease lease = locks.anySegment(Duration.ofMillis(operation.waitMillis()));
      if (lease != null) {
        List<String> keys = List.of(lease.key());
        Recorder.Call call = recorder.begin(begin, Action.ACQUIRE, keys, asked(operation));
        return obtained(call, new Hold.OfHandle(lease), keys, Primitive.SEGMENT);
      }
    } catch (StoreException e) {
      // nothing was obtained, of no segment in particular
    }
    return null;
  }

  private static Map<String, String> asked(Operation operation) {
    Map<String, String> details =
        Recorder.details(
            Detail.PRIMITIVE, operation.primitive().label(), Detail.HOW, operation.how().label());
    if (operation.primitive() == Primitive.SEMAPHORE) {
      details.put(Detail.PERMITS, Integer.toString(operation.permits()));
      details.put(Detail.LIMIT, Integer.toString(Primitive.PERMITS));
    }
    if (operation.waitMillis() >= 0 && operation.how() != How.INTERRUPTIBLY) {
      details.put(Detail.WAIT_MILLIS, Long.toString(operation.waitMillis()));
    }
    return details;
  }

  private Held obtained(Recorder.Call call, Hold hold, List<String> keys, Primitive primitive) {
    long now = System.nanoTime();
    boolean valid = hold.valid();
    Long token = null;
    if (primitive != Primitive.MULTI) { // the token of several keys is that of one of them
      try {
        token = hold.token();
      } catch (IllegalMonitorStateException e) {
        // lost already
      }
    }
    Map<String, String> details = Recorder.details(Detail.HOLDER, call.holder());
    if (token != null) {
      details.put(Detail.TOKEN, Long.toString(token));
    }
    if (valid) {
      details.put(Detail.VALID, "true");
    }
    call.end(now, Phase.OK, details);
    Held held = new Held(hold, call.holder(), keys, token);
    if (hold instanceof Hold.OfHandle handle) {
      handle.lease().onLost(loss -> lost(System.nanoTime(), held, loss));
    } else if (token != null) {
      locks.losses().expect(keys.get(0), token, (nanos, loss) -> lost(nanos, held, loss));
    }
    return held;
  }

  private void lost(long nanos, Held held, LockLoss loss) {
    recorder.note(
        nanos,
        Action.LOST,
        held.keys(),
        Recorder.details(Detail.HOLDER, held.holder(), Detail.TEXT, loss.reason().name()));
  }

  private void inside(Operation operation, Held held) throws InterruptedException {
    long end = System.nanoTime() + operation.holdMillis() * 1_000_000;
    int entered = 0;
    for (int i = 0; i < operation.reenter(); i++) {
      entered += enterAgain(operation, held) ? 1 : 0;
    }
    Long token = held.token();
    boolean writes = operation.write() && operation.primitive().exclusive();
    if (writes && token != null) {
      registers.writeFenced(operation.key(), held.holder(), token);
      registers.writePlain(operation.key(), held.holder(), token);
    }
    boolean valid = true;
    for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
      if (valid) {
        valid = look(now, held);
      }
      Thread.sleep(STEP_MILLIS);
    }
    if (writes && token != null && operation.holdMillis() > STEP_MILLIS) {
      // after a while inside, whether it is still valid or not: a register has to look for itself
      registers.writePlain(operation.key(), held.holder(), token);
      registers.writeFenced(operation.key(), held.holder(), token);
    }
    for (int i = 0; i < entered; i++) {
      release(held, true);
    }
  }

  /** Writes down whether it is valid; the time is read on the side that makes it true. */
  private boolean look(long before, Held held) {
    boolean valid = held.hold().valid();
    recorder.note(
        valid ? before : System.nanoTime(),
        valid ? Action.VALID : Action.VALID_END,
        held.keys(),
        Map.of(Detail.HOLDER, held.holder()));
    return valid;
  }

  private boolean enterAgain(Operation operation, Held held) {
    DistributedLock lock = ((Hold.OfThread) held.hold()).lock();
    Recorder.Call call =
        recorder.begin(
            Action.ACQUIRE,
            held.keys(),
            Recorder.details(
                Detail.PRIMITIVE,
                operation.primitive().label(),
                Detail.HOW,
                "reenter",
                Detail.WAIT_MILLIS,
                "0",
                Detail.REENTRANT,
                "true"));
    try {
      if (!lock.tryLock()) {
        call.fail(Map.of(Detail.ERROR, "the hold was lost"));
        return false;
      }
      if (lock.getHoldCount() > 1) {
        call.ok(Map.of(Detail.HOLDER, held.holder()));
        return true;
      }
      // The first hold was lost, and this is a new one.
      Held anew = obtained(call, held.hold(), held.keys(), operation.primitive());
      release(anew, false);
      if (anew.token() != null) {
        locks.losses().forget(held.keys().get(0), anew.token());
      }
    } catch (IllegalMonitorStateException e) {
      call.fail(Map.of(Detail.ERROR, Recorder.text(e)));
    } catch (StoreException e) {
      call.unknown(e);
    } catch (RuntimeException e) {
      call.bug(e);
    }
    return false;
  }

  private void release(Held held, boolean inner) {
    Map<String, String> details = Recorder.details(Detail.HOLDER, held.holder());
    if (inner) {
      details.put(Detail.REENTRANT, "true");
    }
    long now = System.nanoTime();
    if (held.hold().valid()) {
      details.put(Detail.VALID, "true");
    }
    Recorder.Call call = recorder.begin(now, Action.RELEASE, held.keys(), details);
    try {
      held.hold().release();
      call.ok(Map.of(Detail.HOLDER, held.holder()));
    } catch (LockLostException e) {
      call.fail(Map.of(Detail.HOLDER, held.holder(), Detail.ERROR, Recorder.text(e)));
    } catch (StoreException e) {
      call.unknown(e);
    } catch (RuntimeException e) {
      call.bug(e);
    }
  }
}
